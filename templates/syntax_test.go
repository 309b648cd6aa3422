package templates

import (
	"encoding/json"
	"errors"
	"go/format"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// rendered returns the text of the files of a scaffold.
func rendered(t *testing.T, o Options) map[string]string {
	t.Helper()
	files := testkit.Must(Render(o))(t)
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Path] = string(f.Data)
	}
	return texts
}

// TestSyntax parses the YAML and JSON files of all scaffolds, and compares their Go files with what gofmt makes of them.
func TestSyntax(t *testing.T) {
	t.Parallel()
	for _, profile := range ProfileNames() {
		for name, o := range moduleOptions(t) {
			o.Profile = profile
			for file, text := range rendered(t, o) {
				var err error
				switch path.Ext(file) {
				case ".yml", ".yaml":
					err = yaml.Unmarshal([]byte(text), new(any))
				case ".go":
					var formatted []byte
					if formatted, err = format.Source([]byte(text)); err == nil && string(formatted) != text {
						err = errors.New("not as gofmt writes it")
					}
				case ".json":
					standard := []byte(text)
					if path.Dir(file) == ".vscode" || file == "tsconfig.json" { // which may have comments
						standard, err = hujson.Standardize(standard)
					}
					if err == nil {
						err = json.Unmarshal(standard, new(any))
					}
				}
				if err != nil {
					t.Errorf("%s, %s: %s: %v", name, profile, file, err)
				}
			}
		}
	}
}

// TestCompose checks that Grafana gets the built plugin and its provisioning files.
func TestCompose(t *testing.T) {
	t.Parallel()
	for name, o := range moduleOptions(t) {
		kind, err := CheckType(o.Type)
		text, ok := rendered(t, o)["docker-compose.yaml"]
		if err != nil || ok != kind.HasFrontend {
			t.Errorf("%s: docker-compose.yaml exists: %t (%v)", name, ok, err)
		}
		if !ok {
			continue
		}
		var compose struct {
			Services map[string]struct {
				Volumes     []string
				Environment map[string]string
			}
		}
		testkit.OK(t, yaml.Unmarshal([]byte(text), &compose))
		grafana := compose.Services["grafana"]
		for _, mount := range []string{"./dist:/var/lib/grafana/plugins/" + o.ID + ":ro", "./provisioning:/etc/grafana/provisioning:ro"} {
			if !slices.Contains(grafana.Volumes, mount) {
				t.Errorf("%s: no mount %s in %q", name, mount, grafana.Volumes)
			}
		}
		if grafana.Environment["GF_PLUGINS_ALLOW_LOADING_UNSIGNED_PLUGINS"] != o.ID {
			t.Errorf("%s: the environment is %v", name, grafana.Environment)
		}
		asks := strings.Contains(rendered(t, o)["src/plugin.json"], `"iam"`)
		if want := o.Type == "app" && (o.Backend == nil || *o.Backend); asks != want || (grafana.Environment["GF_FEATURE_TOGGLES_ENABLE"] != "") != want {
			t.Errorf("%s: plugin.json asks for a token: %t, want %t; the environment is %v", name, asks, want, grafana.Environment)
		}
	}
}

// TestChecks checks that the workflow of each scaffold with a frontend installs the locked packages before it
// runs what needs them.
func TestChecks(t *testing.T) {
	t.Parallel()
	for name, o := range moduleOptions(t) {
		kind := testkit.Must(CheckType(o.Type))(t)
		for _, file := range []string{"ci", "release"} {
			text := rendered(t, o)[".github/workflows/"+file+".yml"]
			before, after, ok := strings.Cut(text, "- run: npm ci\n")
			if !ok {
				before, after = "", text
			}
			if ok != kind.HasFrontend || strings.Contains(before, "go tool mage") || !strings.Contains(after, "- run: go tool mage test\n") {
				t.Errorf("%s:\n%s", name, text)
			}
		}
	}
}
