//go:build platforms

package arch

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPlatforms type-checks all packages and their tests for the platforms that backends and releases are built for, and
// for one without releases. go vet would compile all that they import first, which takes minutes for each platform.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	for _, platform := range append(bundle.AllPlatforms(), bundle.Platform{OS: "freebsd", Arch: "amd64"}) {
		t.Run(platform.String(), func(t *testing.T) {
			t.Parallel()
			checked, errs := checkTypes(t, root, platform)
			_, targets := checkTypes(t, filepath.Join(root, "targets"), platform)
			errs = append(errs, targets...)
			if len(errs) > 0 {
				t.Error(errors.Join(errs...))
			}
			if checked < 100 {
				t.Errorf("go list printed only %d packages of this module", checked)
			}
		})
	}
}

// checkTypes type-checks the packages of the module in dir, all that they import, and their
// tests. It returns how many packages of the module there are, with those of tests, and the
// errors in all packages.
func checkTypes(t *testing.T, dir string, platform bundle.Platform) (checked int, errs []error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-tags=mage,e2e", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+platform.OS, "GOARCH="+platform.Arch, "CGO_ENABLED=0")
	out := testkit.Must(cmd.StdoutPipe())(t)
	testkit.OK(t, cmd.Start())
	known, positions := map[string]*types.Package{"unsafe": types.Unsafe}, token.NewFileSet()
	for d := json.NewDecoder(out); ; { // a package comes after those that it imports
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			ImportMap       map[string]string
			Module          struct{ Main bool }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" || filepath.Ext(p.ImportPath) == ".test" { // generated
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file := testkit.Must(parser.ParseFile(positions, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution))(t)
			files = append(files, file)
		}
		config := types.Config{
			Importer: importer(func(path string) (*types.Package, error) { return known[cmp.Or(p.ImportMap[path], path)], nil }),
			Sizes:    types.SizesFor("gc", platform.Arch), IgnoreFuncBodies: !p.Module.Main,
			Error: func(err error) { errs = append(errs, err) },
		}
		known[p.ImportPath], _ = config.Check(p.ImportPath, positions, files, nil)
		if p.Module.Main {
			checked++
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	return checked, errs
}

// importer implements types.Importer.
type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
