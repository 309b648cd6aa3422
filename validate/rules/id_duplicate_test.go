package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestDuplicateIDs checks which plugins with the same id are reported.
func TestDuplicateIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files []string // each a plugin.json with the same id
		want  []string // the findings
	}{
		"siblings":         {[]string{"a", "b", "c"}, []string{"b/plugin.json ../a/plugin.json", "c/plugin.json ../a/plugin.json"}},
		"nested":           {[]string{".", "inner"}, []string{"inner/plugin.json ../plugin.json"}},
		"two repositories": {[]string{"a/src", "b/src"}, []string{"b/src/plugin.json ../../a/src/plugin.json"}},
		"two builds":       {[]string{"a/dist", "b/dist"}, []string{"b/dist/plugin.json ../../a/dist/plugin.json"}},
		"source and dist":  {[]string{"src", "dist"}, nil},
		"own bundler":      {[]string{"src", "src/in", "build", "out/in"}, []string{"src/in/plugin.json ../plugin.json"}},
		"root and dist":    {[]string{".", "dist"}, nil},
		"nested in both":   {[]string{"src", "src/inner", "dist", "dist/inner"}, []string{"src/inner/plugin.json ../plugin.json"}},
		"skipped directories": {[]string{"src", "src/testdata/example", "node_modules/other", "vendor/other",
			"src/__fixtures__/one", "src/__mocks__/one", "src/__tests__/one", ".git/worktree"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, dir := range c.files {
				writePlugin(t, filepath.Join(root, filepath.FromSlash(dir)))
			}
			compareDuplicates(t, root, c.want)
		})
	}
	t.Run("symbolic link", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		writePlugin(t, filepath.Join(root, "b"))
		for _, link := range []string{"a", "c"} {
			if err := os.Symlink("b", filepath.Join(root, link)); err != nil {
				t.Skipf("cannot create symbolic links: %v", err)
			}
		}
		compareDuplicates(t, root, nil)
	})
}

func writePlugin(t *testing.T, dir string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"id":"acme-a-panel"}`)
}

// compareDuplicates compares the findings in a directory: each is the file, and the path to the
// first plugin with the id.
func compareDuplicates(t *testing.T, root string, want []string) {
	t.Helper()
	fsys, opts, err := validate.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	opts.Rules = slices.DeleteFunc(All(), func(r validate.Rule) bool { return r.ID != "id-duplicate" })
	r := runWith(t, fsys, opts)
	var got []string
	for _, f := range r.Findings {
		path, _, _ := strings.Cut(f.Message, " has the same id ")
		got = append(got, f.File+" "+path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
