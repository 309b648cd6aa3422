package archive

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// signed returns a list of files.
func signed(f files) *signature.Manifest {
	m := &signature.Manifest{Files: map[string]string{}}
	for name, text := range f {
		m.Files[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	return m
}

func TestCompare(t *testing.T) {
	t.Parallel()
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, name), text) }
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { removeTest(t, dir, name) }
	}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   map[string]error
	}{
		{"unchanged", func(*testing.T, string) {}, nil},
		{"the list itself", write(signature.File, "signed"), nil},
		{"mode", func(t *testing.T, dir string) { testkit.OK(t, os.Chmod(filepath.Join(dir, "module.js"), 0o600)) }, nil},
		{"link to a copy", func(t *testing.T, dir string) {
			removeTest(t, dir, "gpx_tide_linux_amd64.md")
			link("gpx_tide_linux", "gpx_tide_linux_amd64.md")(t, dir)
		}, nil},
		{"changed", write("module.js", "export [];\n"), map[string]error{"module.js": ErrChanged}},
		{"line endings", write("module.js", "export {};\r\n"), map[string]error{"module.js": ErrNewlines}},
		{"added", write("data/x.js", ""), map[string]error{"data/x.js": ErrUndeclared}},
		{"MANIFEST.json", write("MANIFEST.json", ""), map[string]error{"MANIFEST.json": ErrUndeclared}},
		{"removed", remove("data/plugin.json"), map[string]error{"data/plugin.json": ErrMissing}},
		{"renamed", func(t *testing.T, dir string) {
			testkit.OK(t, os.Rename(filepath.Join(dir, "module.js"), filepath.Join(dir, "Module.js")))
		}, map[string]error{"module.js": ErrMissing, "Module.js": ErrUndeclared}},
		{"link out instead of a file", func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "module.js")
			testkit.WriteFile(t, outside, plugin()["module.js"])
			removeTest(t, dir, "module.js")
			link(outside, "module.js")(t, dir)
		}, map[string]error{"module.js": ErrLink}},
		{"directory instead of a file", func(t *testing.T, dir string) {
			removeTest(t, dir, "module.js")
			testkit.WriteFile(t, filepath.Join(dir, "module.js", "x"), "")
		}, map[string]error{"module.js": ErrMissing, "module.js/x": ErrUndeclared}},
		{"several", func(t *testing.T, dir string) {
			write("README.md", "")(t, dir)
			removeTest(t, dir, "module.js")
			link("..", "panel/up")(t, dir)
		}, map[string]error{"README.md": ErrChanged, "module.js": ErrMissing, "panel/up": ErrLink}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := plugin().write(t)
			test.change(t, dir)
			plugin, closer, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer closer.Close()
			checkDifferences(t, plugin, test.want)
		})
	}
}

// checkDifferences compares what a test has made of the plugin with the list of its files.
func checkDifferences(t *testing.T, fsys fs.FS, want map[string]error) {
	t.Helper()
	var got map[string]error
	for _, d := range testkit.Must(Compare(fsys, ".", signed(plugin())))(t) {
		if got == nil {
			got = map[string]error{}
		}
		got[d.Path] = d.Err
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestOpenZip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(z *zip.Writer) error
		text   string           // of the error
		want   map[string]error // how the files differ
	}{
		{"unchanged", func(*zip.Writer) error { return nil }, "", nil},
		{"repeated entry", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/module.js", 0o644, "x") }, "repeated", nil},
		{"entry in another case", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/MODULE.js", 0o644, "x") }, "",
			map[string]error{"MODULE.js": ErrUndeclared}},
		{"backslash", func(z *zip.Writer) error { return addEntry(z, `acme-tide-app/img\x`, 0o644, "x") }, "invalid name", nil},
		{"leads out", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/../../x", 0o644, "x") }, "invalid name", nil},
		{"absolute", func(z *zip.Writer) error { return addEntry(z, "/x", 0o644, "x") }, "one entry at its root", nil},
		{"next to the directory", func(z *zip.Writer) error { return addEntry(z, "x", 0o644, "x") }, "one entry at its root", nil},
		{"second directory", func(z *zip.Writer) error { return addEntry(z, "y/x", 0o644, "x") }, "one entry at its root", nil},
		{"link", func(z *zip.Writer) error {
			return addEntry(z, "acme-tide-app/a", os.ModeSymlink|0o777, "/etc/passwd")
		}, "", map[string]error{"a": ErrLink}},
		{"pipe", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/a", os.ModeNamedPipe|0o777, "") }, "",
			map[string]error{"a": ErrIrregular}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x.zip")
			err := atomicfile.Write(file, 0o644, func(f io.Writer) error {
				z := zip.NewWriter(f)
				for name, text := range plugin() {
					if err := addEntry(z, "acme-tide-app/"+name, 0o644, text); err != nil {
						return err
					}
				}
				return errors.Join(test.change(z), z.Close())
			})
			if err != nil {
				t.Fatal(err)
			}
			plugin, closer, err := Open(file)
			if (err == nil) != (test.text == "") || !strings.Contains(errorText(err), test.text) {
				t.Fatalf("error = %v, want %q", err, test.text)
			}
			if err == nil {
				defer closer.Close()
				checkDifferences(t, plugin, test.want)
			}
		})
	}
}

func addEntry(z *zip.Writer, name string, mode os.FileMode, content string) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	h.SetMode(mode)
	w, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, content)
	return err
}
