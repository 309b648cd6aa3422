package verbs

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate/config"
	"github.com/slipway-dev/slipway/validate/schema"
)

func TestRulesAndExplain(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	if err := Rules(&said); err != nil || !strings.Contains(said.String(), "path-missing  ") {
		t.Errorf("%v\n%s", err, &said)
	}
	said.Reset()
	if err := Explain(&said, "path-missing"); err != nil || !strings.HasPrefix(said.String(), "path-missing (error; everywhere)\n") {
		t.Errorf("%v\n%s", err, &said)
	}
	if err := Explain(&said, "path-mising"); code(err) != ExitUsage || !strings.Contains(err.Error(), "did you mean path-missing?") {
		t.Errorf("a misspelt rule: %v", err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "src", "plugin.json"), `{"dependencies": {"grafanaDependency": "*"}}`)
	for _, c := range []struct{ profile, key string }{{"", "grafanaDependency"}, {"service", "serviceDependency"}, {"grafana", "grafanaDependency"}} {
		var said strings.Builder
		if err := Schema(&said, SchemaOptions{What: "plugin", Dir: dir, Profile: c.profile}); err != nil || !strings.Contains(said.String(), "the schema of plugin.json (profile ") {
			t.Fatalf("%v\n%s", err, &said)
		}
		var schema struct {
			Properties map[string]struct{ Properties map[string]any }
		}
		if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "plugin.schema.json"))), &schema); err != nil {
			t.Fatal(err)
		}
		if schema.Properties["dependencies"].Properties[c.key] == nil {
			t.Errorf("profile %q: no %s", c.profile, c.key)
		}
	}
	var said strings.Builder
	if err := Schema(&said, SchemaOptions{Dir: dir}); err != nil || strings.Count(said.String(), "\n") != 2 {
		t.Errorf("%v\n%s", err, &said)
	}
	if err := Schema(&said, SchemaOptions{What: "config", Dir: dir}); err != nil || read(t, filepath.Join(dir, "slipway.schema.json")) != string(config.Schema()) {
		t.Errorf("%v\n%s", err, &said)
	}
	for _, o := range []SchemaOptions{{What: "x", Dir: dir}, {Profile: "x", Dir: dir}} {
		if err := Schema(&said, o); code(err) != ExitUsage {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := Schema(&said, SchemaOptions{Dir: filepath.Join(dir, "none")}); code(err) != ExitFindings || !strings.Contains(err.Error(), "-dir") {
		t.Errorf("a folder that is not there: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestScaffoldNamesItsSchema follows "$schema" in a new repository, and looks for it
// in dist, where it would lead nowhere.
func TestScaffoldNamesItsSchema(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if err := Scaffold(t.Context(), io.Discard, templates.Options{Type: "panel", ID: "acme-x-panel", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	schemaOf := func(file string) (named string) {
		var p struct {
			Schema string `json:"$schema"`
		}
		if err := json.Unmarshal([]byte(read(t, file)), &p); err != nil {
			t.Fatal(err)
		}
		return p.Schema
	}
	want, err := schema.JSON("service")
	if named := schemaOf(filepath.Join(dir, "src", "plugin.json")); err != nil || read(t, filepath.Join(dir, "src", named)) != string(want)+"\n" {
		t.Errorf("%q is not the schema (%v)", named, err)
	}
	w, said := captured(t)
	if err := Validate(t.Context(), w, ValidateOptions{Path: dir, Strict: true}); err != nil || !strings.HasPrefix(said(), "no findings in 1 ") {
		t.Errorf("%v\n%s", err, said())
	}
	if _, err := Build(t.Context(), w, BuildOptions{Dir: dir, Platforms: "host"}); err != nil {
		t.Fatal(err)
	}
	if named := schemaOf(filepath.Join(dir, "dist", "plugin.json")); named != "" {
		t.Errorf("dist names the schema %q", named)
	}
}
