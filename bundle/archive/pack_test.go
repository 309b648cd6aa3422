package archive

import (
	"archive/zip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// packed packs the plugin in dir and returns the directory of the files.
func packed(t *testing.T, dir string, o Options) string {
	t.Helper()
	o.Out = filepath.Join(t.TempDir(), "out")
	outputs := testkit.Must(Pack(t.Context(), dir, o))(t)
	var written []string
	for _, file := range outputs {
		written = append(append(written, file.Path), file.Sums...)
		if info, err := os.Stat(file.Path); err != nil || info.Size() != file.Size {
			t.Errorf("%s: %v, want %d bytes", file.Path, err, file.Size)
		}
	}
	entries := testkit.Must(os.ReadDir(o.Out))(t)
	var found []string
	for _, e := range entries {
		found = append(found, filepath.Join(o.Out, e.Name()))
	}
	slices.Sort(written)
	if diff := cmp.Diff(written, found); diff != "" {
		t.Errorf("the files differ from those that Pack returns (-returned +found):\n%s", diff)
	}
	return o.Out
}

func TestPack(t *testing.T) {
	t.Parallel()
	out := packed(t, plugin().write(t), Options{Time: testTime()})
	for file, want := range map[string]string{
		"acme-tide-app-1.2.3.zip": `
-rw-r--r-- acme-tide-app/README.md
-rwxr-xr-x acme-tide-app/data/bin/gpx_data_linux_amd64
-rw-r--r-- acme-tide-app/data/plugin.json
-rw-r--r-- acme-tide-app/gpx_tide_linux
-rwxr-xr-x acme-tide-app/gpx_tide_linux_amd64
-rw-r--r-- acme-tide-app/gpx_tide_linux_amd64.md
-rwxr-xr-x acme-tide-app/gpx_tide_windows_amd64.exe
-rw-r--r-- acme-tide-app/module.js
-rw-r--r-- acme-tide-app/panel/plugin.json
-rw-r--r-- acme-tide-app/plugin.json
`,
		"acme-tide-app-1.2.3.linux_amd64.zip": `
-rw-r--r-- acme-tide-app/README.md
-rwxr-xr-x acme-tide-app/data/bin/gpx_data_linux_amd64
-rw-r--r-- acme-tide-app/data/plugin.json
-rw-r--r-- acme-tide-app/gpx_tide_linux
-rwxr-xr-x acme-tide-app/gpx_tide_linux_amd64
-rw-r--r-- acme-tide-app/gpx_tide_linux_amd64.md
-rw-r--r-- acme-tide-app/module.js
-rw-r--r-- acme-tide-app/panel/plugin.json
-rw-r--r-- acme-tide-app/plugin.json
`,
		"acme-tide-app-1.2.3.windows_amd64.zip": `
-rw-r--r-- acme-tide-app/README.md
-rw-r--r-- acme-tide-app/data/plugin.json
-rw-r--r-- acme-tide-app/gpx_tide_linux
-rw-r--r-- acme-tide-app/gpx_tide_linux_amd64.md
-rwxr-xr-x acme-tide-app/gpx_tide_windows_amd64.exe
-rw-r--r-- acme-tide-app/module.js
-rw-r--r-- acme-tide-app/panel/plugin.json
-rw-r--r-- acme-tide-app/plugin.json
`,
	} {
		name := filepath.Join(out, file)
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), listing(t, name)); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", file, diff)
		}
		content := readTest(t, name)
		if got, want := readTest(t, name+".sha256"), fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(content)), file); got != want {
			t.Errorf("%s.sha256 = %q, want %q", file, got, want)
		}
		if got, want := readTest(t, name+".sha1"), fmt.Sprintf("%x\n", sha1.Sum([]byte(content))); got != want {
			t.Errorf("%s.sha1 = %q, want %q", file, got, want)
		}
		unpack(t, name)
	}
}

// listing returns the modes and names in a zip, and checks the times.
func listing(t *testing.T, file string) string {
	t.Helper()
	z := testkit.Must(zip.OpenReader(file))(t)
	defer z.Close()
	var b strings.Builder
	for _, f := range z.File {
		fmt.Fprintln(&b, f.Mode(), f.Name)
		if want := time.Date(2026, 1, 31, 11, 30, 14, 0, time.UTC); !f.Modified.Equal(want) {
			t.Errorf("%s has the time %v, want %v", f.Name, f.Modified, want)
		}
		r := testkit.Must(f.Open())(t)
		if _, err := io.Copy(io.Discard, r); err != nil { // compares the CRC
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	return b.String()
}

// unpack unpacks a zip with the program unzip, and checks the modes and the contents.
func unpack(t *testing.T, file string) {
	t.Helper()
	if _, err := exec.LookPath("unzip"); err != nil {
		return
	}
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "unzip", "-q", file, "-d", dir).CombinedOutput(); err != nil {
		t.Fatalf("unzip: %v\n%s", err, out)
	}
	dir = filepath.Join(dir, "acme-tide-app")
	for name, want := range plugin() {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if string(got) != want && !(errors.Is(err, fs.ErrNotExist) && strings.Contains(name, "_amd64")) {
			t.Errorf("%s: %s contains %q (%v), want %q", file, name, got, err, want)
		}
	}
	var got []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o100 != 0 {
			got = append(got, filepath.Base(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range got {
		if !strings.HasPrefix(name, "gpx_") {
			t.Errorf("%s is executable", name)
		}
	}
	if len(got) == 0 {
		t.Error("nothing is executable")
	}
}

// contents returns the files in a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := testkit.Must(os.ReadDir(dir))(t)
	found := map[string]string{}
	for _, e := range entries {
		found[e.Name()] = readTest(t, dir, e.Name())
	}
	return found
}

// The signature of a plugin covers all platforms. A MANIFEST.json is a file like others.
func TestPackSigned(t *testing.T) {
	t.Parallel()
	tide := plugin()
	tide["MANIFEST.txt"], tide["MANIFEST.json"] = "signed", "{}"
	out := packed(t, tide.write(t), Options{Time: testTime()})
	for file, isSigned := range map[string]bool{"acme-tide-app-1.2.3.zip": true, "acme-tide-app-1.2.3.linux_amd64.zip": false} {
		got := listing(t, filepath.Join(out, file))
		if strings.Contains(got, "/MANIFEST.txt\n") != isSigned || !strings.Contains(got, "/MANIFEST.json\n") {
			t.Errorf("%s has\n%s", file, got)
		}
	}
}

func TestPackErrors(t *testing.T) {
	t.Parallel()
	dir := plugin().write(t)
	if _, err := Pack(t.Context(), dir, Options{Out: filepath.Join(dir, "out")}); !strings.Contains(errorText(err), "pack to another directory") {
		t.Errorf("out in dist: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := t.TempDir()
	if _, err := Pack(ctx, dir, Options{Out: out}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if got := contents(t, out); len(got) > 0 {
		t.Errorf("canceled, but %v was written", got)
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	testkit.WriteFile(t, outside, "secret")
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, name), text) }
	}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   error  // or
		text   string // a part of the error
	}{
		{name: "link out", change: link(outside, "a"), want: ErrLink},
		{name: "relative link out", change: link("../x", "a"), want: ErrLink},
		{name: "broken link", change: link("x", "a"), want: ErrLink},
		{name: "circular link", change: link("a", "a"), want: ErrLink},
		{name: "link to a directory", change: link("data", "a"), want: ErrLink},
		{name: "no plugin.json", change: func(t *testing.T, dir string) { removeTest(t, dir, "plugin.json") }, want: os.ErrNotExist},
		{name: "no version", change: write("plugin.json", `{"id": "acme-tide-app"}`), text: `plugin.json: the version "" is invalid`},
		{name: "placeholder", change: write("plugin.json", `{"id": "acme-tide-app", "info": {"version": "%VERSION%"}}`), text: `the version "%VERSION%"`},
		{name: "id that leads out", change: write("plugin.json", `{"id": "../x", "info": {"version": "1.0.0"}}`), text: `the id "../x"`},
		{name: "version that leads out", change: write("plugin.json", `{"id": "a", "info": {"version": "1/../../x"}}`), text: `the version "1/../../x"`},
		{name: "nested plugin.json", change: write("data/plugin.json", "{"), text: "data/plugin.json: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir, out := plugin().write(t), t.TempDir()
			test.change(t, dir)
			_, err := Pack(t.Context(), dir, Options{Out: out})
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(errorText(err), test.text) {
				t.Errorf("error = %v, want %v%s", err, test.want, test.text)
			}
			if got := contents(t, out); len(got) > 0 {
				t.Errorf("%v was written", got)
			}
		})
	}
}

// Names that some system cannot unpack are not packed.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, isAccepted := range map[string]bool{
		"con.svg": false, "img/NUL": false, "aux/x": false, "Com1.tar.gz": false, "lpt²": false, "prn .txt": false, "conin$": false,
		"a*": false, "a?/b": false, `"a"`: false, "<a": false, "a>": false, "a|b": false, "a.": false, "a /b": false, "img/...": false,
		"icon.svg": true, "console": true, "img/.con": true, "com10": true, "com": true, "nullable.js": true, ".a b&c": true,
		`..\x`: false, "c:x": false, "module.js:stream": false, "a\x00b": false, "a\nb": false, "\x7f": false, "\xff": false,
		"X": false, "x/y": false, "X/y": false,
	} {
		if err := checkNames([]string{"x", name}); (err == nil) != isAccepted {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

func TestZipTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0001-01-01T00:00:00Z":      "1980-01-01T00:00:00Z",
		"1980-01-01T00:30:00+01:00": "1980-01-01T00:00:00Z",
		"2026-01-31T12:30:15+01:00": "2026-01-31T11:30:14Z",
		"2106-02-07T06:28:16Z":      "2106-02-07T06:28:14Z",
		"9999-01-01T00:00:00Z":      "2106-02-07T06:28:14Z",
	} {
		when := testkit.Must(time.Parse(time.RFC3339, text))(t)
		if got := zipTime(when).Format(time.RFC3339); got != want {
			t.Errorf("zipTime(%s) = %s, want %s", text, got, want)
		}
	}
}
