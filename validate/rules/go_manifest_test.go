package rules

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/validate"
)

// A list of Go files is compared with a source that is named, in every preset.
func TestGoManifestOfSource(t *testing.T) {
	t.Parallel()
	const sum = "b77cafd19c2ebf01ae9b99bd1d2ceb2b38f7fb53d0ebf39a2f3ed61ce95a2d61" // of another text
	dist := fstest.MapFS{
		"plugin.json":  {Data: []byte(`{"id": "acme-x-datasource", "type": "datasource", "backend": true, "executable": "gpx_x"}`)},
		goManifestFile: {Data: []byte(sum + ":pkg/main.go\n" + sum + ":pkg/old.go\n")},
	}
	source := fstest.MapFS{"pkg/main.go": {Data: []byte("package main\n")}, "pkg/new.go": {}}
	for _, c := range []struct {
		name string
		o    validate.Options
		want int
	}{
		{"no source", validate.Options{}, 0},
		{"another source", validate.Options{Source: source}, 1},
	} {
		c.o.Rules, c.o.Profile, c.o.Where = only("go-manifest"), "grafana", validate.Dist
		r := runWith(t, dist, c.o)
		const want = `changed since the build: "pkg/main.go"; not in the list: "pkg/new.go"; not in the repository: "pkg/old.go"`
		if c.want > 0 && !strings.HasSuffix(r.Findings[0].Message, want) || len(r.Findings) != c.want || c.want > 0 && r.Findings[0].Severity != validate.Error {
			t.Errorf("%s: %+v", c.name, r.Findings)
		}
	}
}
