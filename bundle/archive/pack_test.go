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
	out := packed(t, plugin().write(t), Options{Time: testTime(), Key: testKey(1)})
	for file, want := range map[string]string{
		"acme-tide-app-1.2.3.zip": `
-rw-r--r-- acme-tide-app/MANIFEST.json
-rw-r--r-- acme-tide-app/MANIFEST.json.minisig
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
-rw-r--r-- acme-tide-app/MANIFEST.json
-rw-r--r-- acme-tide-app/MANIFEST.json.minisig
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
-rw-r--r-- acme-tide-app/MANIFEST.json
-rw-r--r-- acme-tide-app/MANIFEST.json.minisig
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
		if _, err := verifyPath(name, publicKey(testKey(1))); err != nil {
			t.Errorf("%s: %v", file, err)
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

// unpack unpacks a zip with the program unzip, and compares the modes and the files
// with the manifest.
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
	if _, err := verifyPath(dir, publicKey(testKey(1))); err != nil {
		t.Errorf("unpacked %s: %v", file, err)
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

func TestPackSigned(t *testing.T) {
	t.Parallel()
	panel := files{"plugin.json": `{"id": "acme-clock-panel", "info": {"version": "1.0.0"}}`, "module.js": ""}

	dir := signed(t, panel)
	out := packed(t, dir, Options{})
	if _, err := verifyPath(filepath.Join(out, "acme-clock-panel-1.0.0.zip"), publicKey(testKey(1))); err != nil {
		t.Errorf("packed without the key: %v", err)
	}
	testkit.WriteFile(t, filepath.Join(dir, "module.js"), "changed")
	if _, err := Pack(t.Context(), dir, Options{Out: t.TempDir()}); !errors.Is(err, ErrSignatureStale) || !strings.HasSuffix(err.Error(), "\n  module.js: changed after the manifest was written") {
		t.Errorf("changed after it was signed: %v", err)
	}
	if _, err := Pack(t.Context(), signed(t, plugin()), Options{Out: t.TempDir()}); !errors.Is(err, ErrKeyNeeded) {
		t.Errorf("several platforms without the key: %v", err)
	}
	out = packed(t, panel.write(t), Options{})
	if _, err := verifyPath(filepath.Join(out, "acme-clock-panel-1.0.0.zip"), publicKey(testKey(1))); !errors.Is(err, ErrUnsigned) {
		t.Errorf("unsigned: %v", err)
	}
}

// TestPackStale checks that the error lists the files that were added and deleted after the
// plugin was signed.
func TestPackStale(t *testing.T) {
	t.Parallel()
	panel := files{"plugin.json": `{"id": "acme-clock-panel", "info": {"version": "1.0.0"}}`, "module.js": "", "img/logo.svg": ""}
	dir := signed(t, panel)
	for _, name := range []string{"module.js", "img/logo.svg"} {
		testkit.OK(t, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
	}
	pack := func(want string) {
		t.Helper()
		_, err := Pack(t.Context(), dir, Options{Out: t.TempDir()})
		if !errors.Is(err, ErrSignatureStale) {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ErrSignatureStale.Error()+want, err.Error()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	missing := "\n  img/logo.svg: listed in the manifest, but missing\n  module.js: listed in the manifest, but missing"
	pack(missing)
	testkit.WriteFile(t, filepath.Join(dir, "added.js"), "")
	pack("\n  added.js: not listed in the manifest" + missing)
	want := "\n  added.js: not listed in the manifest"
	for i := range 20 {
		name := fmt.Sprintf("added%02d.js", i)
		testkit.WriteFile(t, filepath.Join(dir, name), "")
		if i < maxListed-1 {
			want += "\n  " + name + ": not listed in the manifest"
		}
	}
	pack(want + "\n  and 13 more")
}

func TestPackForeignManifest(t *testing.T) {
	t.Parallel()
	tide := plugin()
	tide["MANIFEST.txt"] = `{"files": {"plugin.json": ""}}`
	dir := tide.write(t)
	if _, err := Pack(t.Context(), dir, Options{Out: t.TempDir(), Key: testKey(1)}); !errors.Is(err, ErrForeign) {
		t.Errorf("error = %v", err)
	}
	if _, err := Sign(dir, testKey(1)); !errors.Is(err, ErrForeign) {
		t.Errorf("Sign: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Sign has made MANIFEST.txt invalid: %v", err)
	}
	out := packed(t, dir, Options{Time: testTime()})
	all := listing(t, filepath.Join(out, "acme-tide-app-1.2.3.zip"))
	if !strings.Contains(all, "/MANIFEST.txt\n") || strings.Contains(all, "/MANIFEST.json") {
		t.Errorf("the zip for all platforms has\n%s", all)
	}
	linux := listing(t, filepath.Join(out, "acme-tide-app-1.2.3.linux_amd64.zip"))
	if strings.Contains(linux, "/MANIFEST.txt\n") || !strings.Contains(linux, "/MANIFEST.json\n") {
		t.Errorf("the zip for linux has\n%s", linux)
	}

	testkit.WriteFile(t, filepath.Join(dir, "MANIFEST.txt"), `{"files": {"MANIFEST.json": "", "MANIFEST.json.minisig": ""}}`)
	out = packed(t, dir, Options{Key: testKey(1)})
	if _, err := verifyPath(filepath.Join(out, "acme-tide-app-1.2.3.zip"), publicKey(testKey(1))); err != nil {
		t.Errorf("with both manifests: %v", err)
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
	testkit.WriteFile(t, filepath.Join(dir, "data", "plugin.json"), "{")
	if _, err := Pack(t.Context(), dir, Options{Out: out}); !strings.Contains(errorText(err), "data/plugin.json: ") {
		t.Errorf("nested plugin.json: %v", err)
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
