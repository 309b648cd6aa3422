package templates

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestNest adds a data source to apps whose plugin.json is written in different ways.
func TestNest(t *testing.T) {
	t.Parallel()
	const deps = `"dependencies": {"grafanaDependency": ">=11.5.0"}`
	for name, tc := range map[string]struct{ before, after string }{
		"no includes": {"{\n  \"type\": \"app\",\n  " + deps + "\n}\n", "{\n  \"type\": \"app\",\n  " + deps + ",\n  \"includes\": [ENTRY]\n}\n"},
		"none":        {`{"type": "app", "includes": [], ` + deps + `}`, `{"type": "app", "includes": [ENTRY], ` + deps + `}`},
		"one line":    {`{"type": "app", "includes": [{"type": "page"}], ` + deps + `}`, `{"type": "app", "includes": [{"type": "page"}, ENTRY], ` + deps + `}`},
		"lines": {"{\"type\": \"app\", \"includes\": [\n\t{\n\t}\n], " + deps + "}",
			"{\"type\": \"app\", \"includes\": [\n\t{\n\t},\n\tENTRY\n], " + deps + "}"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "src", "plugin.json")
		testkit.OK(t, os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(tc.before), 0o644))
		app := testkit.Must(bundle.OpenRepo(dir))(t)
		o := Options{Type: "datasource", ID: "acme-low-tide-datasource"}
		r, err := Nest(o, app)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range []string{"src/low_tide/module.ts", "pkg/low_tide/main.go", "provisioning/datasources/low_tide.yaml"} {
			if !slices.Contains(r.Created, want) {
				t.Errorf("%s: %s is missing in %q", name, want, r.Created)
			}
		}
		want := strings.Replace(tc.after, "ENTRY", `{ "type": "datasource", "name": "Low Tide", "path": "low_tide/plugin.json" }`, 1)
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s: %v, %s", name, err, got)
		}
		nested, err := os.ReadFile(filepath.Join(dir, "src", "low_tide", "plugin.json"))
		if err != nil || !strings.Contains(string(nested), `"grafanaDependency": ">=11.5.0"`) || strings.Contains(string(nested), "service") {
			t.Errorf("%s: %v, %s", name, err, nested)
		}
		if _, err := Nest(o, app); !errors.Is(err, ErrNotEmpty) {
			t.Errorf("%s: again: %v", name, err)
		}
		o.Dir = filepath.Join(dir, "plugins", "x")
		if _, err := Scaffold(o); !errors.Is(err, ErrNested) {
			t.Errorf("%s: a repository in it: %v", name, err)
		}
		o.Type, o.ID = "app", "acme-x-app"
		if _, err := Nest(o, app); err == nil || !strings.Contains(err.Error(), `but not a plugin of type "app"`) {
			t.Errorf("%s: an app: %v", name, err)
		}
	}
}
