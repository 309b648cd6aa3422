package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A backend for Grafana comes with the list of its Go files, as they were when it was compiled.
func TestGoSumsOfABuild(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	if r := mustBuild(t, o); slices.Contains(listing(t, r.Dist), GoSumsFile) {
		t.Error("the list is for Grafana only")
	}
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.Replace(metadata, `{"serviceDependency": `, `{"serviceDependency": "*", "grafanaDependency": `, 1))
	r := mustBuild(t, o)
	read := func() string {
		t.Helper()
		text := testkit.Must(os.ReadFile(filepath.Join(r.Dist, GoSumsFile)))(t)
		return string(text)
	}
	compiled := read()
	if !strings.HasSuffix(compiled, ":pkg/main.go\n") {
		t.Errorf("the list is %q", compiled)
	}
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { println(2) }\n")
	o.Only = OnlyFrontend
	mustBuild(t, o)
	if read() != compiled {
		t.Error("a build of the frontend changed the list")
	}
	o.Only = ""
	if r := mustBuild(t, o); read() == compiled || !r.Changes.Backend || r.Changes.Assets {
		t.Errorf("the list did not follow the backend; changes %v", r.Changes.Names())
	}
}
