package rules

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// TestDetectedProfile requires that a plugin without a range is judged in the profile that the rest of
// it is written for, and that no finding advises a key of the other one.
func TestDetectedProfile(t *testing.T) {
	t.Parallel()
	const plugin = `{%s "id": "acme-clock-panel", "name": "Clock", "type": "panel", "dependencies": {%s}}`
	for name, c := range map[string]struct {
		dir, schema, dependencies, file, content, want string
	}{
		"nothing":            {want: "service"},
		"schema of Grafana":  {schema: bundle.Published().SchemaURL, want: "grafana"},
		"schema of Slipway":  {schema: bundle.Profiles()[0].SchemaURL, file: "package.json", content: `{"dependencies": {"@grafana/data": "*"}}`, want: "service"},
		"key before schema":  {schema: bundle.Published().SchemaURL, dependencies: `"serviceDependency": ">=10"`, want: "service"},
		"signed":             {file: "src/MANIFEST.txt", content: "{}", want: "grafana"},
		"packages":           {file: "package.json", content: `{"dependencies": {"@grafana/data": "*"}}`, want: "grafana"},
		"packages, of dist":  {dir: "dist", file: "package.json", content: `{"dependencies": {"@grafana/data": "*"}}`, want: "grafana"},
		"packages of others": {file: "package.json", content: `{"dependencies": {"react": "*"}}`, want: "service"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := ""
			if c.schema != "" {
				schema = fmt.Sprintf(`"$schema": %q,`, c.schema)
			}
			tree := fstest.MapFS{path.Join(cmp.Or(c.dir, "src"), "plugin.json"): {Data: fmt.Appendf(nil, plugin, schema, c.dependencies)}}
			if c.file != "" {
				tree[c.file] = &fstest.MapFile{Data: []byte(c.content)}
			}
			report := runWith(t, tree, validate.Options{Rules: All()})
			if want := []string{c.want}; !slices.Equal(report.Profiles, want) {
				t.Errorf("profiles %v, want %v", report.Profiles, want)
			}
			for _, p := range bundle.Profiles() {
				for _, f := range report.Findings {
					if p.Name != c.want && strings.Contains(f.Message+f.Help, p.DependencyKey) {
						t.Errorf("%s: %s (%s)", f.Rule, f.Message, f.Help)
					}
				}
			}
		})
	}
}
