package adopt

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/origin"
)

// proxy serves modules from the file system: one txtar archive per module and version.
func proxy(t *testing.T, modules map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for module, archive := range modules {
		name, version, _ := strings.Cut(module, "@")
		at := filepath.Join(dir, filepath.FromSlash(name), "@v")
		files := txtar.Parse([]byte(archive)).Files
		write(t, filepath.Join(at, version+".info"), `{"Version": "`+version+`"}`)
		write(t, filepath.Join(at, version+".mod"), string(files[0].Data))
		f, err := os.Create(filepath.Join(at, version+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for _, file := range files {
			w, err := z.Create(module + "/" + file.Name)
			if err == nil {
				_, err = w.Write(file.Data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // the test must be able to remove the cache
	t.Setenv("GOSUMDB", "off")
}

// TestPlanKeepsCodeThatCompiles checks that init refuses to raise a requirement if the
// plugin then no longer compiles.
func TestPlanKeepsCodeThatCompiles(t *testing.T) {
	const module = origin.Module
	proxy(t, map[string]string{
		"example.com/dep@v1.0.0": "-- go.mod --\nmodule example.com/dep\n-- dep.go --\npackage dep\n\nfunc Old() {}\n",
		"example.com/dep@v1.1.0": "-- go.mod --\nmodule example.com/dep\n-- dep.go --\npackage dep\n\nfunc New() {}\n",
		mage + "@v1.17.2":        "-- go.mod --\nmodule " + mage + "\n-- main.go --\npackage main\n\nfunc main() {}\n",
		module + "@v1.0.0": "-- go.mod --\nmodule " + module + "\n\ngo 1.25\n\nrequire (\n\texample.com/dep v1.1.0\n\t" + mage + " v1.17.2\n)\n" +
			"-- targets/targets.go --\npackage targets\n-- targets/workflow/workflow.go --\npackage workflow\n",
	})
	for function, compiles := range map[string]bool{"Old": false, "New": true, "Neither": true} {
		root := repository(t, plugin+"-- go.mod --\nmodule example.com/acme\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n"+
			"-- pkg/main.go --\npackage main\n\nimport \"example.com/dep\"\n\nfunc main() { dep."+function+"() }\n")
		before := state(t, root)
		var steps []string
		p, err := MakePlan(t.Context(), Options{Dir: root, Slipway: origin.Origin{Version: "v1.0.0"}, Step: func(name string) { steps = append(steps, name) }})
		if (err == nil) != compiles {
			t.Errorf("%s: error %v, want one: %t", function, err, !compiles)
		}
		if err != nil && (!strings.Contains(err.Error(), "undefined: dep.Old") || !strings.Contains(err.Error(), "example.com/dep v1.0.0 => v1.1.0")) {
			t.Errorf("%s: error %v", function, err)
		}
		if _, isRequest := errors.AsType[*RequestError](err); isRequest {
			t.Errorf("%s: an error in the code of the plugin is an invalid request: %v", function, err)
		}
		if err != nil && !strings.Contains(err.Error(), "slipway build") {
			t.Errorf("%s: error %v, want one that says what works without init", function, err)
		}
		if err == nil && !cmp.Equal(p.Raised, []string{"example.com/dep v1.0.0 => v1.1.0"}) {
			t.Errorf("%s: raised %v", function, p.Raised)
		}
		if want := []string{"resolving modules", "compiling the plugin with other versions of modules"}; !cmp.Equal(steps, want) {
			t.Errorf("%s: steps %q, want %q", function, steps, want)
		}
		if diff := cmp.Diff(before, state(t, root)); diff != "" {
			t.Errorf("%s: MakePlan changed the repository (-want +got):\n%s", function, diff)
		}
	}
}
