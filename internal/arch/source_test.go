package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestSource checks the source of every package: one package comment, a comment on every
// exported name, no init function, no package variable that can change.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		t.Run(strings.ReplaceAll(p.path(), "/", "_"), func(t *testing.T) {
			t.Parallel()
			comments := 0
			files := token.NewFileSet()
			for _, name := range p.GoFiles {
				f := testkit.Must(parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution))(t)
				if ast.IsGenerated(f) {
					if !within(p.path(), "internal/wire") {
						t.Errorf("%s is generated: generated code belongs in internal/wire", name)
					}
					continue
				}
				if f.Doc != nil {
					comments++
					if start := "Package " + f.Name.Name + " "; f.Name.Name != "main" && !strings.HasPrefix(f.Doc.Text(), start) {
						t.Errorf("%s: the package comment must start with %q", name, start)
					}
				}
				for _, d := range f.Decls {
					checkDecl(t, files, d)
				}
			}
			if comments != 1 && len(p.GoFiles) > 0 {
				t.Errorf("%d package comments, want one that describes what belongs in the package", comments)
			}
		})
	}
}

func checkDecl(t *testing.T, files *token.FileSet, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "init" && d.Recv == nil {
			t.Errorf("%s: do not use init: pass what is needed", files.Position(d.Pos()))
		}
		if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
			t.Errorf("%s: %s has no doc comment", files.Position(d.Pos()), d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			checkSpec(t, files, d, s)
		}
	}
}

func checkSpec(t *testing.T, files *token.FileSet, d *ast.GenDecl, s ast.Spec) {
	t.Helper()
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			t.Errorf("%s: %s has no doc comment", files.Position(s.Pos()), s.Name)
		}
	case *ast.ValueSpec:
		for i, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				t.Errorf("%s: %s has no doc comment", files.Position(s.Pos()), name)
			}
			if d.Tok == token.VAR && name.Name != "_" && !isConstant(d, s, i) {
				t.Errorf("%s: %s is a package variable: use a constant, a function or a field", files.Position(s.Pos()), name)
			}
		}
	}
}

// isConstant reports whether a variable only holds what Go cannot express as a constant:
// sentinel errors, compiled expressions, versions, embedded files, facts and values computed once.
func isConstant(d *ast.GenDecl, s *ast.ValueSpec, i int) bool {
	if d.Doc != nil && strings.Contains(docText(d.Doc), "//go:embed") || s.Doc != nil && strings.Contains(docText(s.Doc), "//go:embed") {
		return true
	}
	if i >= len(s.Values) {
		return false
	}
	call, ok := s.Values[i].(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	if !ok {
		return false
	}
	switch of.Name + "." + f.Sel.Name {
	case "errors.New", "fmt.Errorf", "regexp.MustCompile", "semver.New", "strings.NewReplacer", "sync.OnceValue", "sync.OnceValues", "validate.NewFact", "validate.NewTreeFact":
		return true
	}
	return false
}

func docText(g *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}
