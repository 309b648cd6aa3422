package archive

import (
	"archive/zip"
	"crypto/ed25519"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func verifyPath(name string, trusted ...PublicKey) (*Manifest, error) {
	plugin, closer, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	return Verify(plugin, trusted...)
}

// signed writes a plugin that is signed with the first key.
func signed(t *testing.T, f files) string {
	t.Helper()
	dir := f.write(t)
	testkit.Must(Sign(dir, testKey(1)))(t)
	return dir
}

func TestVerify(t *testing.T) {
	t.Parallel()
	other := plugin()
	other["plugin.json"] = `{"id": "acme-moon-app", "info": {"version": "1.2.3"}}`
	copyFrom := func(f files, names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			from := signed(t, f)
			for _, name := range names {
				testkit.WriteFile(t, filepath.Join(dir, name), readTest(t, from, name))
			}
		}
	}
	edit := func(name, old, new string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			before := readTest(t, dir, name)
			if !strings.Contains(before, old) {
				t.Fatalf("%q not found in %s", old, name)
			}
			testkit.WriteFile(t, filepath.Join(dir, name), strings.Replace(before, old, new, 1))
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { removeTest(t, dir, name) }
	}
	for _, test := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   []error
		text   string // the error, or a part of it
	}{
		{name: "unchanged", change: func(*testing.T, string) {}},
		{name: "manifest of another service", change: func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, "MANIFEST.txt"), "signed") }},
		{name: "mode", change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Chmod(filepath.Join(dir, "module.js"), 0o600))
		}},
		{name: "link to a copy", change: func(t *testing.T, dir string) {
			removeTest(t, dir, "gpx_tide_linux_amd64.md")
			link("gpx_tide_linux", "gpx_tide_linux_amd64.md")(t, dir)
		}},
		{name: "changed", change: edit("module.js", "{}", "[]"), want: []error{ErrChanged}, text: "module.js: changed after the manifest was written"},
		{name: "longer", change: edit("module.js", "\n", "\nx"), want: []error{ErrChanged}},
		{name: "shorter", change: edit("module.js", "\n", ""), want: []error{ErrChanged}},
		{name: "added", change: func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, "data", "x.js"), "") }, want: []error{ErrUndeclared}, text: "data/x.js: not listed in the manifest"},
		{name: "removed", change: remove("data/plugin.json"), want: []error{ErrMissing}, text: "data/plugin.json: listed in the manifest, but missing"},
		{name: "renamed", change: func(t *testing.T, dir string) {
			testkit.OK(t, os.Rename(filepath.Join(dir, "module.js"), filepath.Join(dir, "Module.js")))
		}, want: []error{ErrMissing, ErrUndeclared}, text: "Module.js: not listed in the manifest (and 1 more)"},
		{name: "link out instead of a file", change: func(t *testing.T, dir string) {
			content := readTest(t, dir, "module.js")
			outside := filepath.Join(t.TempDir(), "module.js")
			testkit.WriteFile(t, outside, content)
			removeTest(t, dir, "module.js")
			link(outside, "module.js")(t, dir)
		}, want: []error{ErrLink}, text: "module.js: a symbolic link that does not lead to a file of the plugin"},
		{name: "directory instead of a file", change: func(t *testing.T, dir string) {
			removeTest(t, dir, "module.js")
			testkit.WriteFile(t, filepath.Join(dir, "module.js", "x"), "")
		}, want: []error{ErrMissing, ErrUndeclared}},
		{name: "truncated manifest", change: edit(ManifestFile, "}\n", ""), want: []error{ErrBadSignature}},
		{name: "another sum in the manifest", change: func(t *testing.T, dir string) {
			edit("module.js", "{}", "[]")(t, dir)
			testkit.Must(WriteManifest(dir))(t)
		}, want: []error{ErrBadSignature}},
		{name: "no signature", change: remove(SignatureFile), want: []error{ErrUnsigned}},
		{name: "no manifest", change: remove(ManifestFile), want: []error{os.ErrNotExist}, text: ManifestFile},
		{name: "manifest is a link out", change: func(t *testing.T, dir string) {
			outside := filepath.Join(t.TempDir(), "m")
			testkit.WriteFile(t, outside, readTest(t, dir, ManifestFile))
			removeTest(t, dir, ManifestFile)
			link(outside, ManifestFile)(t, dir)
		}, text: "escapes"},
		{name: "another key", change: func(t *testing.T, dir string) {
			testkit.Must(Sign(dir, testKey(3)))(t)
		}, want: []error{ErrUnknownKey}, text: "signed with a key that is not trusted: " + publicKey(testKey(3)).ID()},
		{name: "another key with the id of the first", change: func(t *testing.T, dir string) {
			testkit.Must(Sign(dir, testKey(3)))(t)
			s := testkit.Must(parseSignature([]byte(readTest(t, dir, SignatureFile))))(t)
			s.keyID = publicKey(testKey(1)).id
			if err := s.verify([]byte(readTest(t, dir, ManifestFile)), []PublicKey{publicKey(testKey(1))}); !errors.Is(err, ErrBadSignature) {
				t.Errorf("error = %v", err)
			}
		}, want: []error{ErrUnknownKey}},
		{name: "signature of another plugin", change: copyFrom(other, SignatureFile), want: []error{ErrBadSignature}},
		{name: "manifest and signature of another plugin", change: copyFrom(other, SignatureFile, ManifestFile), want: []error{ErrChanged}, text: "plugin.json: changed"},
		{name: "another trusted comment", change: edit(SignatureFile, "acme-tide-app", "acme-moon-app"), want: []error{ErrBadSignature}},
		{name: "another untrusted comment", change: edit(SignatureFile, "signature by", "made by")},
		{name: "legacy signature", change: edit(SignatureFile, "\nRU", "\nRW"), text: "not a signature in minisign's prehashed format"},
		{name: "empty signature", change: func(t *testing.T, dir string) { testkit.WriteFile(t, filepath.Join(dir, SignatureFile), "") }, text: "not a signature"},
		{name: "endless signature", change: func(t *testing.T, dir string) {
			testkit.WriteFile(t, filepath.Join(dir, SignatureFile), strings.Repeat("x", maxSignatureBytes+1))
		}, text: "larger than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := signed(t, plugin())
			test.change(t, dir)
			m, err := verifyPath(dir, publicKey(testKey(2)), publicKey(testKey(1)))
			for _, want := range test.want {
				if !errors.Is(err, want) {
					t.Errorf("error = %v, want %v", err, want)
				}
			}
			if (err == nil) != (m != nil) || (err == nil) != (test.want == nil && test.text == "") || !strings.Contains(errorText(err), test.text) {
				t.Errorf("manifest = %v, error = %v, want %v %s", m != nil, err, test.want, test.text)
			}
		})
	}
}

// TestCheckOtherPlugin checks a manifest that lists the right files for another plugin.
func TestCheckOtherPlugin(t *testing.T) {
	t.Parallel()
	dist := fstest.MapFS{"plugin.json": {Data: []byte(`{"id": "acme-tide-app", "info": {"version": "1.2.3"}}`)}}
	m := testkit.Must(NewManifest(dist))(t)
	m.Version = "1.2.4"
	dist[ManifestFile] = &fstest.MapFile{Data: m.Encode()}
	if _, err := Check(dist); !errors.Is(err, ErrOtherPlugin) {
		t.Errorf("error = %v", err)
	}
}

func TestCheckListsEveryDifference(t *testing.T) {
	t.Parallel()
	dir := signed(t, plugin())
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "")
	testkit.WriteFile(t, filepath.Join(dir, "a.js"), "")
	removeTest(t, dir, "module.js")
	link("..", "panel/up")(t, dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = Check(root.FS())
	var differences FileErrors
	if !errors.As(err, &differences) {
		t.Fatalf("error = %v", err)
	}
	got := map[string]error{}
	for _, d := range differences {
		got[d.Path] = d.Err
	}
	want := map[string]error{"README.md": ErrChanged, "a.js": ErrUndeclared, "module.js": ErrMissing, "panel/up": ErrLink}
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestVerifyZip(t *testing.T) {
	t.Parallel()
	base := signed(t, plugin())
	names := append([]string{ManifestFile, SignatureFile}, keys(plugin())...)
	for _, test := range []struct {
		name   string
		change func(z *zip.Writer) error
		text   string
	}{
		{"unchanged", func(*zip.Writer) error { return nil }, ""},
		{"repeated entry", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/module.js", 0o644, "x") }, "repeated"},
		{"entry in another case", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/MODULE.js", 0o644, "x") }, "MODULE.js: not listed"},
		{"backslash", func(z *zip.Writer) error { return addEntry(z, `acme-tide-app/img\x`, 0o644, "x") }, "invalid name"},
		{"leads out", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/../../x", 0o644, "x") }, "invalid name"},
		{"absolute", func(z *zip.Writer) error { return addEntry(z, "/x", 0o644, "x") }, "one entry at its root"},
		{"next to the directory", func(z *zip.Writer) error { return addEntry(z, "x", 0o644, "x") }, "one entry at its root"},
		{"second directory", func(z *zip.Writer) error { return addEntry(z, "y/x", 0o644, "x") }, "one entry at its root"},
		{"link", func(z *zip.Writer) error {
			return addEntry(z, "acme-tide-app/a", os.ModeSymlink|0o777, "/etc/passwd")
		}, "a: a symbolic link"},
		{"pipe", func(z *zip.Writer) error { return addEntry(z, "acme-tide-app/a", os.ModeNamedPipe|0o777, "") }, "a: not a regular file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "x.zip")
			err := atomicfile.Write(file, 0o644, func(f io.Writer) error {
				z := zip.NewWriter(f)
				for _, name := range names {
					if err := addEntry(z, "acme-tide-app/"+name, 0o644, readTest(t, base, name)); err != nil {
						return err
					}
				}
				return errors.Join(test.change(z), z.Close())
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = verifyPath(file, publicKey(testKey(1)))
			if (err == nil) != (test.text == "") || !strings.Contains(errorText(err), test.text) {
				t.Errorf("error = %v, want %q", err, test.text)
			}
		})
	}
}

func keys(f files) []string {
	var list []string
	for name := range f {
		list = append(list, name)
	}
	return list
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

// TestVerifyWithoutKeys checks that no key is trusted by default and that an empty
// key verifies nothing.
func TestVerifyWithoutKeys(t *testing.T) {
	t.Parallel()
	dir := signed(t, plugin())
	for _, trusted := range [][]PublicKey{nil, {{}}, {NewPublicKey(ed25519.PublicKey{})}} {
		if _, err := verifyPath(dir, trusted...); !errors.Is(err, ErrUnknownKey) {
			t.Errorf("error = %v", err)
		}
	}
}

// TestMinisign exchanges signatures with minisign in both directions.
func TestMinisign(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("minisign"); err != nil {
		t.Skip("minisign is not installed")
	}
	dir := signed(t, plugin())
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "minisign", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("minisign %v: %v\n%s", args, err, out)
		}
	}
	run("-V", "-H", "-m", ManifestFile, "-P", publicKey(testKey(1)).String())

	own := t.TempDir()
	run("-G", "-W", "-p", filepath.Join(own, "p"), "-s", filepath.Join(own, "s"))
	run("-S", "-s", filepath.Join(own, "s"), "-m", ManifestFile)
	key := testkit.Must(ParsePublicKey([]byte(readTest(t, own, "p"))))(t)
	if _, err := verifyPath(dir, key); err != nil {
		t.Error(err)
	}
}
