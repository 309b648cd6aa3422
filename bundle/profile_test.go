package bundle

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestDetectProfile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"dependencies": {"serviceDependency": "*"}}`:                                 "service",
		`{"dependencies": {"serviceVersion": "9.x"}}`:                                  "service",
		`{"dependencies": {"grafanaDependency": "*"}}`:                                 "grafana",
		`{"dependencies": {"grafanaVersion": "9.x"}}`:                                  "grafana",
		`{"dependencies": {"grafanaDependency": "*", "serviceDependency": "*"}}`:       "service",
		`{"dependencies": {"plugins": []}, "grafanaDependency": ">=10.0.0", "id": ""}`: "",
		`[]`: "",
	} {
		doc := testkit.Must(ParseDocument("plugin.json", []byte(text)))(t)
		p, ok := DetectProfile(doc)
		if p.Name != want || ok != (want != "") {
			t.Errorf("DetectProfile(%s) = %q, %t, want %q", text, p.Name, ok, want)
		}
	}
}
