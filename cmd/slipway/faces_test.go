package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/verbs"
)

// A verb has the same options under Mage.
func TestFaces(t *testing.T) {
	t.Parallel()
	options := map[string][]string{} // of each target, whose name is in lower case
	files, err := filepath.Glob(filepath.Join("..", "..", "targets", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				for _, p := range f.Type.Params.List {
					for _, n := range p.Names {
						options[strings.ToLower(f.Name.Name)] = append(options[strings.ToLower(f.Name.Name)], n.Name)
					}
				}
			}
		}
	}
	compared := 0
	for _, c := range newRoot(os.Stdout, io.Discard).Commands() {
		has, ok := options[c.Name()]
		if !ok {
			continue
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			compared++
			// Mage requires the type and the id, so it cannot list the types.
			if f.Hidden || f.Name == "help" || c.Name() == "scaffold" && f.Name == "list" {
				return
			}
			if !slices.Contains(has, strings.TrimPrefix(verbs.Mage.Option(f.Name), "-")) {
				t.Errorf("slipway %s has --%s, but mage %[1]s does not", c.Name(), f.Name)
			}
		})
	}
	if compared < 50 {
		t.Errorf("%d flags compared", compared)
	}
}
