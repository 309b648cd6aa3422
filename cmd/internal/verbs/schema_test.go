package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// TestSchemaProfile requires that schema and validate derive the same profile from a
// plugin.json, even if it only has the deprecated key.
func TestSchemaProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, want string }{
		{"grafanaDependency", "grafana"}, {"grafanaVersion", "grafana"}, {"serviceVersion", "service"}, {"other", "service"},
	} {
		dir := t.TempDir()
		testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"dependencies": {"`+c.key+`": "9.x.x"}}`)
		var out strings.Builder
		testkit.OK(t, runSchema(&out, schemaOptions{What: "plugin", Dir: dir}))
		if !strings.Contains(out.String(), "profile "+c.want) {
			t.Errorf("%s: schema prints %q, want profile %s", c.key, &out, c.want)
		}
		report := testkit.Must(validate.Run(t.Context(), os.DirFS(dir), validate.Options{Rules: rules.All()}))(t)
		if len(report.Profiles) != 1 || report.Profiles[0] != c.want {
			t.Errorf("%s: validate derives the profiles %q, want %s", c.key, report.Profiles, c.want)
		}
	}
}

// The schema of a plugin.json for both profiles allows the keys of both.
func TestSchemaOfBothProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "plugin.json"), `{"dependencies": {"serviceDependency": ">=10.3.0", "grafanaDependency": ">=10.3.0"}}`)
	for profile, want := range map[string]string{"": "profile service and grafana", "service": "profile service)"} {
		var out strings.Builder
		if err := runSchema(&out, schemaOptions{What: "plugin", Dir: dir, Profile: profile}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("schema prints %q (%v), want %s", &out, err, want)
		}
		if has := strings.Contains(testkit.ReadFile(t, filepath.Join(dir, "plugin.schema.json")), `"grafanaDependency"`); has != (profile == "") {
			t.Errorf("profile %q: the schema has grafanaDependency: %t", profile, has)
		}
	}
}
