package frontend_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
)

// scaffolds returns a scaffold of each type and choice that differs in its frontend.
func scaffolds() map[string]templates.Options {
	list := map[string]templates.Options{}
	for _, kind := range templates.Types() {
		for _, hasBackend := range []bool{true, false} {
			if kind.HasFrontend && (hasBackend == kind.HasBackend || kind.BackendOptional) {
				list[fmt.Sprintf("%s backend %t", kind.Name, hasBackend)] = templates.Options{
					Type: kind.Name, ID: "acme-hello-world-" + kind.Name, Backend: new(hasBackend), Today: time.Unix(0, 0),
				}
			}
		}
	}
	return list
}

// scaffold writes a scaffold and returns its directory.
func scaffold(t *testing.T, o templates.Options) (dir string) {
	t.Helper()
	o.Dir = t.TempDir()
	testkit.Must(templates.Scaffold(o))(t)
	return o.Dir
}

// bundled bundles a frontend.
func bundled(t *testing.T, dir, id string) string {
	t.Helper()
	r := testkit.Must(frontend.Bundle(t.Context(), frontend.Options{Root: dir, Source: filepath.Join(dir, "src"), PluginID: id}))(t)
	for _, w := range r.Warnings {
		t.Error(w)
	}
	for _, f := range r.Files {
		if f.Path == "module.js" {
			return string(f.Contents)
		}
	}
	t.Fatal("no module.js")
	return ""
}

// evaluate runs scripts in one interpreter.
func evaluate(t *testing.T, scripts ...string) *goja.Runtime {
	t.Helper()
	vm := goja.New()
	for _, script := range scripts {
		if _, err := vm.RunString(script); err != nil {
			if e, ok := errors.AsType[*goja.Exception](err); ok {
				t.Fatal(e.String())
			}
			t.Fatal(err)
		}
	}
	return vm
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join("testdata", "scaffold", name)))(t)
	return string(text)
}

// globals are what browsers have and the interpreter lacks.
const globals = `var URL = { canParse: (text) => /^[a-z]+:\/\/[a-z.]+/.test(text) };`

// TestScaffolds loads the bundled frontends as a host does, renders them and uses their
// forms.
func TestScaffolds(t *testing.T) {
	t.Parallel()
	for name, o := range scaffolds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := scaffold(t, o)
			hasBackend := fmt.Sprintf("var hasBackend = %t;", *o.Backend)
			evaluate(t, globals, testdata(t, "host.js"), hasBackend, bundled(t, dir, o.ID), testdata(t, o.Type+".js"))
		})
	}
}

// TestExamples loads the bundled frontends of the examples as a host does.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app", "datasource"} {
		dir := testkit.Must(filepath.Abs(filepath.Join("..", "..", "examples", name)))(t)
		vm := evaluate(t, globals, testdata(t, "host.js"), bundled(t, dir, "slipway-example-"+name))
		if plugin := vm.Get("plugin"); plugin == nil || goja.IsUndefined(plugin) {
			t.Errorf("%s exports no plugin", name)
		}
	}
}
