package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		text := `{"dependencies": {"` + c.key + `": "9.x.x"}}`
		if err := os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := Schema(&out, SchemaOptions{What: "plugin", Dir: dir}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "profile "+c.want) {
			t.Errorf("%s: schema prints %q, want profile %s", c.key, &out, c.want)
		}
		report, err := validate.Run(t.Context(), os.DirFS(dir), validate.Options{Rules: rules.All()})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Profiles) != 1 || report.Profiles[0] != c.want {
			t.Errorf("%s: validate derives the profiles %q, want %s", c.key, report.Profiles, c.want)
		}
	}
}
