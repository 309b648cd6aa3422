package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	for _, o := range []SchemaOptions{{What: "x", Dir: dir}, {Profile: "x", Dir: dir}} {
		if err := Schema(&said, o); code(err) != ExitUsage {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := Schema(&said, SchemaOptions{Dir: filepath.Join(dir, "none")}); code(err) != ExitFindings || !strings.Contains(err.Error(), "-dir") {
		t.Errorf("a folder that is not there: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
