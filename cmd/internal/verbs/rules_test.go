package verbs

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate/schema"
)

func TestRulesAndExplain(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := runRules(&out); err != nil || !strings.Contains(out.String(), "path-missing (error; everywhere): ") {
		t.Errorf("%v\n%s", err, &out)
	}
	out.Reset()
	if err := runExplain(&out, Command, "path-missing"); err != nil || !strings.HasPrefix(out.String(), "path-missing (error; everywhere)\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := runExplain(&out, Command, "path-mising"); code(err) != ExitUsage || err.Error() != `unknown rule "path-mising"; did you mean "path-missing"?`+"\nhelp: slipway rules lists all rules" {
		t.Errorf("misspelled rule: %v", err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), `{"dependencies": {"grafanaDependency": "*"}}`)
	for _, c := range []struct{ profile, key string }{{"", "grafanaDependency"}, {"service", "serviceDependency"}, {"grafana", "grafanaDependency"}} {
		var out strings.Builder
		if err := runSchema(&out, schemaOptions{What: "plugin", Dir: dir, Profile: c.profile}); err != nil || !strings.Contains(out.String(), "the schema of plugin.json (profile ") {
			t.Fatalf("%v\n%s", err, &out)
		}
		var schema struct {
			Properties map[string]struct{ Properties map[string]any }
		}
		testkit.OK(t, json.Unmarshal([]byte(testkit.ReadFile(t, filepath.Join(dir, "plugin.schema.json"))), &schema))
		if schema.Properties["dependencies"].Properties[c.key] == nil {
			t.Errorf("profile %q: no %s", c.profile, c.key)
		}
	}
	var out strings.Builder
	if err := runSchema(&out, schemaOptions{Dir: dir}); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%v\n%s", err, &out)
	}
	if err := runSchema(&out, schemaOptions{What: "config", Dir: dir}); err != nil || testkit.ReadFile(t, filepath.Join(dir, "slipway.schema.json")) != string(config.Schema()) {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, c := range []struct {
		o    schemaOptions
		want string
	}{
		{schemaOptions{What: "plugn", Dir: dir}, `unknown schema "plugn"; did you mean "plugin"?`},
		{schemaOptions{Face: Mage, Profile: "graphana", Dir: dir}, `-profile: unknown profile "graphana"; did you mean "grafana"?`},
	} {
		if err := runSchema(&out, c.o); code(err) != ExitUsage || err.Error() != c.want {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	if err := runSchema(&out, schemaOptions{Dir: filepath.Join(dir, "none")}); code(err) != ExitFindings || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("missing directory: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestScaffoldNamesItsSchema resolves "$schema" in a new repository, and checks that
// dist, where it could not be resolved, omits it.
func TestScaffoldNamesItsSchema(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	testkit.OK(t, runScaffold(t.Context(), io.Discard, scaffoldOptions{Options: templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}}))
	schemaOf := func(file string) (named string) {
		var p struct {
			Schema string `json:"$schema"`
		}
		testkit.OK(t, json.Unmarshal([]byte(testkit.ReadFile(t, file)), &p))
		return p.Schema
	}
	want, err := schema.JSON("service", "grafana")
	if named := schemaOf(filepath.Join(dir, "src", "plugin.json")); err != nil || testkit.ReadFile(t, filepath.Join(dir, "src", named)) != string(want)+"\n" {
		t.Errorf("%q is not the schema (%v)", named, err)
	}
	if printed, err := validated(t, validateOptions{Path: dir, Strict: true}); err != nil || !strings.HasPrefix(printed, "no findings in 1 ") {
		t.Errorf("%v\n%s", err, printed)
	}
	w, _ := captured(t)
	testkit.Must(Build(t.Context(), w, BuildOptions{Dir: dir, Platforms: "host", Bundler: fakeBundler{}}))(t)
	if named := schemaOf(filepath.Join(dir, "dist", "plugin.json")); named != "" {
		t.Errorf("dist names the schema %q", named)
	}
}
