package arch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestVersions requires that the other modules of this repository require what both need in the
// same versions as go.mod: each other version would be compiled as well. The tests of the preview's page are
// bundled with the esbuild that bundles the page.
func TestVersions(t *testing.T) {
	t.Parallel()
	required := func(dir string) map[string]string {
		path := filepath.Join(root, dir, "go.mod")
		data := testkit.Must(os.ReadFile(path))(t)
		file := testkit.Must(modfile.ParseLax(path, data, nil))(t)
		versions := map[string]string{}
		for _, r := range file.Require {
			versions[r.Mod.Path] = r.Mod.Version
		}
		return versions
	}
	ours := required(".")
	for _, dir := range []string{"tools", "tools/generate", "testdata/existing"} {
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
	text, err := os.ReadFile(filepath.Join(root, "preview", "page", "package.json"))
	want := `"esbuild": "` + strings.TrimPrefix(ours["github.com/evanw/esbuild"], "v") + `"`
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("preview/page/package.json must have %s, as go.mod has: %v", want, err)
	}
}

// TestDoors requires that plugin repositories pay nothing for the targets, and that "go install" accepts
// this module, which it does not with a replace directive.
func TestDoors(t *testing.T) {
	t.Parallel()
	read := func(name string) *modfile.File {
		path := filepath.Join(root, name)
		data := testkit.Must(os.ReadFile(path))(t)
		return testkit.Must(modfile.Parse(path, data, nil))(t)
	}
	own, targets := read("go.mod"), read("targets/go.mod")
	if len(targets.Require) != 1 || targets.Require[0].Mod.Path != "github.com/magefile/mage" || len(targets.Replace) > 0 || targets.Go.Version != "1.24" {
		t.Error("targets/go.mod must require only Mage, and the first version of Go with tools: the go command raises what plugin repositories require to that")
	}
	if len(own.Replace) > 0 {
		t.Error("go.mod has a replace directive, with which go install refuses to build the programs")
	}
	for _, r := range own.Require {
		if strings.HasPrefix(r.Mod.Path, "github.com/apache/arrow-go") {
			t.Error("go.mod requires Arrow, and much else with it, to which the modules of authors are raised: tests that need it belong in testdata/existing")
		}
		if r.Mod.Path == targets.Module.Mod.Path {
			t.Errorf("go.mod requires %s", r.Mod.Path)
		}
	}
	// The targets do not look for changes in directories that they name.
	text := testkit.Must(os.ReadFile(filepath.Join(root, "targets", "internal", "program", "program.go")))(t)
	for _, p := range packages(t) {
		if p.path() != "cmd/slipway" {
			continue
		}
		for _, dep := range p.Deps {
			top, _, _ := strings.Cut(strings.TrimPrefix(dep, module+"/"), "/")
			if strings.HasPrefix(dep, module) && strings.Contains(string(text), strconv.Quote(top)) {
				t.Errorf("cmd/slipway is built from %s, whose changes targets/internal/program/program.go ignores", dep)
			}
		}
	}
}
