package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const goldenManifest = `{
  "plugin": "acme-clock-panel",
  "version": "1.0.0-rc.1+build",
  "files": {
    "img/&.svg": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "plugin.json": "2ea2dd40cba88b31d2c3dcbc9f7dca9e4d5e3e1e39a5bbc8b3cb07d0e0d1a2c3"
  },
  "sizes": {
    "img/&.svg": 0,
    "plugin.json": 68
  }
}
`

func TestManifest(t *testing.T) {
	t.Parallel()
	dist := fstest.MapFS{
		"plugin.json":  {Data: []byte(`{"id": "acme-clock-panel", "info": {"version": "1.0.0-rc.1+build"}}` + "\n")},
		"img/&.svg":    {},
		ManifestFile:   {Data: []byte("an earlier one")},
		SignatureFile:  {Data: []byte("an earlier one")},
		"MANIFEST.txt": {Data: []byte("of another service")},
	}
	m := testkit.Must(NewManifest(dist))(t)
	digest := m.Files[1].SHA256
	want := strings.Replace(goldenManifest, "2ea2dd40cba88b31d2c3dcbc9f7dca9e4d5e3e1e39a5bbc8b3cb07d0e0d1a2c3", digest, 1)
	if diff := cmp.Diff(want, string(m.Encode())); diff != "" {
		t.Errorf("the manifest differs (-want +got):\n%s", diff)
	}
	again := testkit.Must(ParseManifest(m.Encode()))(t)
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("the manifest differs after parsing (-want +got):\n%s", diff)
	}
}

// TestManifestForm checks the form that the rules of validate and the tools of the
// ecosystem read.
func TestManifestForm(t *testing.T) {
	t.Parallel()
	var m struct {
		Plugin, Version string
		Files           map[string]string
	}
	testkit.OK(t, json.Unmarshal([]byte(goldenManifest), &m))
	if got := m.Files["img/&.svg"]; got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("sum = %q", got)
	}
}

func TestParseManifestErrors(t *testing.T) {
	t.Parallel()
	const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	replace := func(old, new string) string {
		if !strings.Contains(goldenManifest, old) {
			t.Fatalf("%q not found", old)
		}
		return strings.Replace(goldenManifest, old, new, 1)
	}
	rename := func(name string) string {
		return strings.ReplaceAll(goldenManifest, `"img/&.svg"`, mustJSON(t, name))
	}
	for _, test := range []struct{ name, data, want string }{
		{"empty", "", "EOF"},
		{"truncated", goldenManifest[:len(goldenManifest)/2], "unexpected EOF"},
		{"without the last byte", strings.TrimSuffix(goldenManifest, "\n"), "canonical"},
		{"trailing data", goldenManifest + "{}", "canonical"},
		{"CRLF", strings.ReplaceAll(goldenManifest, "\n", "\r\n"), "canonical"},
		{"byte order mark", "\ufeff" + goldenManifest, "invalid character"},
		{"array", "[]", "cannot unmarshal array"},
		{"null", "null", `the id ""`},
		{"deep", strings.Repeat("[", 100_000), "exceeded max depth"},
		{"repeated key", replace(`"version"`, `"plugin": "x", "version"`), "canonical"},
		{"repeated file", replace(`"plugin.json": "`, `"img/&.svg": "`+digest+`", "plugin.json": "`), "canonical"},
		{"key in another case", replace(`"files"`, `"Files"`), "canonical"},
		{"unknown key", replace(`"version"`, `"time": 1, "version"`), "unknown field"},
		{"unsorted", replace("  \"plugin\": \"acme-clock-panel\",\n  \"version\": \"1.0.0-rc.1+build\"", "  \"version\": \"1.0.0-rc.1+build\",\n  \"plugin\": \"acme-clock-panel\""), "canonical"},
		{"size of no file", replace(`"img/&.svg": 0`, `"a": 1, "img/&.svg": 0`), "canonical"},
		{"no size", replace(`    "img/&.svg": 0,`+"\n", ""), "no valid size"},
		{"negative size", replace(`"img/&.svg": 0`, `"img/&.svg": -1`), "no valid size"},
		{"too many bytes", replace(`"img/&.svg": 0`, `"img/&.svg": 9223372036854775807`), "larger than 2048 MiB"},
		{"too many bytes in all", replace(`"img/&.svg": 0`, `"img/&.svg": 2147483600`), "larger than 2048 MiB"},
		{"too many files", manyFiles(maxFiles + 1), "more than 20000 files"},
		{"short sum", replace(digest, digest[2:]), "invalid SHA-256"},
		{"sum in upper case", replace(digest, strings.ToUpper(digest)), "invalid SHA-256"},
		{"id that leads out", replace("acme-clock-panel", "../x"), "the id"},
		{"version that leads out", replace("1.0.0-rc.1+build", "1/../../x"), "the version"},
		{"path that leads out", rename("../x"), "not a file name"},
		{"absolute path", rename("/etc/passwd"), "not a file name"},
		{"drive", rename("C:x"), "not a file name"},
		{"stream of a file", rename("module.js:evil"), "not a file name"},
		{"backslash", rename(`img\x`), "not a file name"},
		{"control character", rename("a\x00b"), "not a file name"},
		{"directory", rename("."), "not a file name"},
		{"unclean path", rename("img//x"), "not a file name"},
		{"same file in another case", rename("PLUGIN.JSON"), "where case does not matter"},
		{"the manifest itself", rename("MANIFEST.json"), "where case does not matter"},
		{"the signature in another case", rename("manifest.JSON.minisig"), "where case does not matter"},
		{"file below a file", rename("Plugin.json/x"), "cannot be a file and the directory"},
		{"too large", goldenManifest + strings.Repeat(" ", maxManifestBytes), "larger than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseManifest([]byte(test.data))
			if !strings.Contains(errorText(err), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

// manyFiles returns a manifest of n empty files.
func manyFiles(n int) string {
	m := &Manifest{Plugin: "a", Version: "1"}
	for i := range n {
		m.Files = append(m.Files, File{Path: strconv.Itoa(i), SHA256: strings.Repeat("0", 64)})
	}
	return string(m.Encode())
}

func TestNewManifestErrors(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	testkit.WriteFile(t, outside, "secret")
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
		{name: "no version", change: func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"id": "acme-tide-app"}`)
		}, text: `plugin.json: the version "" is invalid`},
		{name: "placeholder", change: func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"id": "acme-tide-app", "info": {"version": "%VERSION%"}}`)
		}, text: `the version "%VERSION%"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := plugin().write(t)
			test.change(t, dir)
			_, err := WriteManifest(dir)
			if test.want != nil && !errors.Is(err, test.want) || !strings.Contains(errorText(err), test.text) {
				t.Errorf("error = %v, want %v%s", err, test.want, test.text)
			}
			if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err == nil {
				t.Error("a manifest was written")
			}
		})
	}
}

func link(target, name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("this system has no symbolic links: %v", err)
		}
	}
}

func removeTest(t *testing.T, parts ...string) {
	t.Helper()
	testkit.OK(t, os.Remove(filepath.Join(parts...)))
}

// hostileNames are names that a manifest must reject next to a file "x".
func hostileNames() []string {
	return []string{
		"..", "../x", "a/../../x", "./x", "a//x", "a/", "/etc/passwd", "//host/share", `..\x`, `\\host\share`, "C:/x", "c:x",
		"module.js:stream", "a\x00b", "a\nb", "\x7f", "X", "x/y", "\xff", "MANIFEST.json", "manifest.TXT", "Manifest.json.minisig",
	}
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	for _, name := range hostileNames() {
		m := Manifest{Plugin: "a", Version: "1", Files: []File{{Path: name, SHA256: strings.Repeat("0", 64)}, {Path: "x", SHA256: strings.Repeat("0", 64)}}}
		if got, err := ParseManifest(m.Encode()); err == nil {
			t.Errorf("%q is accepted: %v", name, got.Files)
		}
	}
}

// Names that Windows cannot unpack are not packed, but archives that contain them can be read.
func TestWindowsNames(t *testing.T) {
	t.Parallel()
	for name, isAccepted := range map[string]bool{
		"con.svg": false, "img/NUL": false, "aux/x": false, "Com1.tar.gz": false, "lpt²": false, "prn .txt": false, "conin$": false,
		"a*": false, "a?/b": false, `"a"`: false, "<a": false, "a>": false, "a|b": false, "a.": false, "a /b": false, "img/...": false,
		"icon.svg": true, "console": true, "img/.con": true, "com10": true, "com": true, "nullable.js": true, ".a b&c": true,
	} {
		_, err := NewManifest(fstest.MapFS{"plugin.json": {Data: []byte(`{"id": "acme-clock-panel", "info": {"version": "1.0.0"}}`)}, name: {}})
		if (err == nil) != isAccepted {
			t.Errorf("%q: error %v", name, err)
		}
		m := &Manifest{Plugin: "a", Version: "1", Files: []File{{Path: name, SHA256: strings.Repeat("0", 64)}}}
		if _, err := ParseManifest(m.Encode()); err != nil {
			t.Errorf("%q cannot be read: %v", name, err)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(goldenManifest))
	f.Add([]byte(`{"plugin":"a","version":"1","files":{},"sizes":{}}`))
	for _, name := range hostileNames() {
		f.Add((&Manifest{Plugin: "a", Version: "1", Files: []File{{Path: name, SHA256: strings.Repeat("0", 64)}, {Path: "x", SHA256: strings.Repeat("0", 64)}}}).Encode())
	}
	f.Add([]byte(manyFiles(100)))
	f.Add([]byte("{\n  \"plugin\": \"a\",\n  \"version\": \"1\",\n  \"files\": {},\n  \"sizes\": {}\n}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if err != nil {
			return
		}
		if !bytes.Equal(m.Encode(), data) {
			t.Fatalf("%q is accepted, but is encoded as %q", data, m.Encode())
		}
		for _, file := range m.Files {
			if !filepath.IsLocal(file.Path) || strings.ContainsAny(file.Path, `\:`) {
				t.Fatalf("the path %q is accepted", file.Path)
			}
		}
	})
}
