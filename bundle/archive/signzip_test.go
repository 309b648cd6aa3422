package archive

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestSignZip signs packed zips: the result is what Pack writes with the key.
func TestSignZip(t *testing.T) {
	t.Parallel()
	dir := plugin().write(t)
	want := packed(t, dir, Options{Time: testTime(), Key: testKey(1)})
	for _, first := range []Options{{Time: testTime()}, {Time: testTime(), Key: testKey(2)}} {
		out := packed(t, dir, first)
		zips, err := filepath.Glob(filepath.Join(out, "*.zip"))
		if err != nil || len(zips) != 3 {
			t.Fatalf("%v, %v", zips, err)
		}
		for _, name := range zips {
			testkit.Must(SignZip(name, testKey(1)))(t)
			if _, err := verifyPath(name, publicKey(testKey(1))); err != nil {
				t.Error(err)
			}
			for _, suffix := range []string{"", sha256Suffix, sha1Suffix} {
				if readTest(t, name+suffix) != readTest(t, want, filepath.Base(name)+suffix) {
					t.Errorf("%s differs from what Pack writes", filepath.Base(name)+suffix)
				}
			}
			if match, differ, err := CheckSums(name); err != nil || len(match) != 2 || len(differ) > 0 {
				t.Errorf("checksums: %v, %v, %v", match, differ, err)
			}
		}
	}
}

func TestSignZipErrors(t *testing.T) {
	t.Parallel()
	out := packed(t, plugin().write(t), Options{})
	good := filepath.Join(out, "acme-tide-app-1.2.3.zip")
	dir := t.TempDir()
	broken := filepath.Join(dir, "x.zip")
	testkit.WriteFile(t, broken, strings.Replace(readTest(t, good), "acme-tide-app/module.js", "acme-tide-app/Module.js", -1))
	before := readTest(t, broken)
	if _, err := SignZip(broken, testKey(1)); !errors.Is(err, ErrMissing) {
		t.Errorf("a zip with a renamed file: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || readTest(t, broken) != before {
		t.Errorf("the zip was changed, or files were left: %v, %v", entries, err)
	}
	foreign := plugin()
	for _, listed := range []string{`"files": {"MANIFEST.json": ""}`, `"files": {}`} {
		foreign[foreignManifest] = listed
		out = packed(t, foreign.write(t), Options{})
		if _, err := SignZip(filepath.Join(out, "acme-tide-app-1.2.3.zip"), testKey(1)); !errors.Is(err, ErrForeign) {
			t.Errorf("a zip with a MANIFEST.txt %s: %v", listed, err)
		}
	}
}

func TestCheckSums(t *testing.T) {
	t.Parallel()
	out := packed(t, plugin().write(t), Options{})
	zip := filepath.Join(out, "acme-tide-app-1.2.3.zip")
	for _, c := range []struct{ suffix, text string }{
		{sha256Suffix, strings.Repeat("0", 64) + "  acme-tide-app-1.2.3.zip\n"},
		{sha256Suffix, ""},
		{sha1Suffix, strings.Repeat("0", 40)},
	} {
		good := readTest(t, zip+c.suffix)
		testkit.WriteFile(t, zip+c.suffix, c.text)
		match, differ, err := CheckSums(zip)
		if want := []string{"acme-tide-app-1.2.3.zip" + c.suffix}; err != nil || len(match) != 1 || !slices.Equal(differ, want) {
			t.Errorf("%s = %q: %v, %v, %v", c.suffix, c.text, match, differ, err)
		}
		testkit.WriteFile(t, zip+c.suffix, good)
	}
	removeTest(t, zip+sha256Suffix)
	if match, differ, err := CheckSums(zip); err != nil || len(match) != 1 || len(differ) > 0 {
		t.Errorf("without %s: %v, %v, %v", sha256Suffix, match, differ, err)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	inspect := func(dir string, trusted ...PublicKey) *Report {
		t.Helper()
		plugin, closer, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer closer.Close()
		return testkit.Must(Inspect(plugin, trusted...))(t)
	}
	dir := signed(t, plugin())
	key := publicKey(testKey(1))
	if r := inspect(dir, key); r.Signature != nil || r.KeyID != key.ID() || r.Owner != nil || len(r.Files) > 0 || len(r.Manifest.Files) != len(plugin()) {
		t.Errorf("unchanged: %+v", r)
	}
	if r := inspect(dir, publicKey(testKey(2))); !errors.Is(r.Signature, ErrUnknownKey) || r.KeyID != key.ID() {
		t.Errorf("another key: %+v", r)
	}
	testkit.WriteFile(t, filepath.Join(dir, "module.js"), "changed")
	testkit.WriteFile(t, filepath.Join(dir, "added.js"), "")
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"id": "acme-moon-app", "info": {"version": "1.2.3"}}`)
	removeTest(t, dir, "README.md")
	removeTest(t, dir, SignatureFile)
	r := inspect(dir, key)
	var got []string
	for _, f := range r.Files {
		got = append(got, f.Error())
	}
	want := []string{
		"README.md: listed in the manifest, but missing",
		"added.js: not listed in the manifest",
		"module.js: changed after the manifest was written",
		"plugin.json: changed after the manifest was written",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if !errors.Is(r.Signature, ErrUnsigned) || r.KeyID != "" || !errors.Is(r.Owner, ErrOtherPlugin) {
		t.Errorf("%+v", r)
	}
}
