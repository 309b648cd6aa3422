package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/validate"
)

func TestConfigure(t *testing.T) {
	t.Parallel()
	c := &config.Config{
		Name: "up/slipway.yaml", Profile: "grafana", IsStrict: true, IsCatalog: true,
		Severities:   map[string]string{"id-format": "off", "path-missing": "warning"},
		Suppressions: []config.Suppression{{Rule: "id-format", File: "a", Pointer: "/b", Reason: "c", Line: 8, Column: 11, EndColumn: 20}},
	}
	o := validate.Options{Profile: "service"}
	o.Configure(c)
	want := validate.Options{
		Profile: "service", IsStrict: true, IsCatalog: true, Config: "up/slipway.yaml", // the profile was already set
		Severities: map[string]validate.Severity{"id-format": validate.Off, "path-missing": validate.Warning},
		Suppressions: []validate.Suppression{{Rule: "id-format", File: "a", Pointer: "/b", Reason: "c", Place: validate.Place{
			File: "up/slipway.yaml", Line: 8, Column: 11, EndLine: 8, EndColumn: 20, Pointer: "/suppress/0",
		}}},
	}
	if d := cmp.Diff(want, o); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
