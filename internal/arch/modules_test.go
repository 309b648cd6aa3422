package arch

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestVersions requires that the other modules of this repository require what both need in the
// same versions as go.mod: each other version would be compiled as well.
func TestVersions(t *testing.T) {
	t.Parallel()
	required := func(dir string) map[string]string {
		path := filepath.Join(root, dir, "go.mod")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.ParseLax(path, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		versions := map[string]string{}
		for _, r := range file.Require {
			versions[r.Mod.Path] = r.Mod.Version
		}
		return versions
	}
	ours := required(".")
	for _, dir := range []string{"tools", "testdata/existing"} {
		shared := 0
		for path, version := range required(dir) {
			want, ok := ours[path]
			if !ok {
				continue
			}
			shared++
			if version != want {
				t.Errorf("%s requires %s %s, go.mod %s; run 'go -C %[1]s get %[2]s@%[4]s'", dir, path, version, want)
			}
		}
		if shared == 0 {
			t.Errorf("%s shares no requirement with go.mod", dir)
		}
	}
}
