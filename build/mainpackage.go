package build

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// mainPackage describes the Go files of a directory.
type mainPackage struct {
	isMain   bool // they are a main package
	isPlugin bool // it imports a library that serves plugins
}

// readMain reads the package clauses, imports and build constraints of the Go files in a directory. A main.go that
// cannot be parsed counts, for the compiler to report its error.
func (p *Plan) readMain(dir string) (m mainPackage) {
	entries, _ := os.ReadDir(dir) // a directory that cannot be read has no main package
	for _, e := range entries {
		name := e.Name()
		file := filepath.Join(dir, name)
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.ContainsAny(name[:1], "._") || !isRegular(file) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		switch {
		case err != nil:
			m.isMain = m.isMain || name == "main.go"
		case f.Name.Name == "main" && p.isBuilt(f):
			m.isMain = true
			m.isPlugin = m.isPlugin || slices.ContainsFunc(f.Imports, servesPlugins)
		}
	}
	return m
}

// misnamedMain returns the place of the package clause in a main.go of another package, and its name, or "".
func (p *Plan) misnamedMain() (place, name string) {
	for _, file := range []string{"pkg/main.go", "main.go"} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(p.Repo.Root, filepath.FromSlash(file)), nil, parser.PackageClauseOnly)
		if err == nil && f.Name.Name != "main" {
			at := set.Position(f.Name.Pos())
			return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column), f.Name.Name
		}
	}
	return "", ""
}

// isRegular reports whether a path is that of a regular file, or of a link to one.
func isRegular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// servesPlugins reports whether an import is that of a library that serves plugins.
func servesPlugins(i *ast.ImportSpec) bool {
	imported, err := strconv.Unquote(i.Path.Value)
	return err == nil && slices.ContainsFunc([]string{
		bundle.SlipwayModule + "/sdk",
		bundle.GrafanaModule,
		"github.com/hashicorp/go-plugin",
	}, func(library string) bool { return imported == library || strings.HasPrefix(imported, library+"/") })
}

// isBuilt reports whether the build constraints of a file are met here. A magefile is built by Mage only.
func (p *Plan) isBuilt(f *ast.File) bool {
	for _, group := range f.Comments {
		if group.Pos() > f.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) && !constraint.IsPlusBuild(c.Text) {
				continue
			}
			if expr, err := constraint.Parse(c.Text); err == nil && !expr.Eval(p.hasTag) {
				return false
			}
		}
	}
	return true
}

// hasTag reports whether a build tag is set on this machine.
func (p *Plan) hasTag(tag string) bool {
	isUnix := !slices.Contains([]string{"windows", "plan9", "js", "wasip1"}, runtime.GOOS)
	return tag == runtime.GOOS || tag == runtime.GOARCH || tag == "unix" && isUnix || tag == "gc" ||
		tag == "cgo" && p.options.Backend.Cgo || strings.HasPrefix(tag, "go1.") || slices.Contains(p.options.Backend.Tags, tag)
}
