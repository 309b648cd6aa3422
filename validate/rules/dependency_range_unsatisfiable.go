package rules

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

func dependencyRangeUnsatisfiable() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-unsatisfiable",
		Severity: validate.Error,
		Summary:  "unsatisfiable range of service versions",
		Why: "Conditions separated by a space must all hold. If they exclude each other, the range allows no version, and the plugin " +
			"cannot be installed. The finding is a warning for the range of the other profile, and in the grafana profile if Grafana's " +
			"published schema accepts the range.",
		Help: "separate alternatives with ||, as in 6.x.x || 7.x.x, or widen the range",
		Check: func(p *validate.Pass) {
			for _, d := range inspect.DeclaredRanges.Of(p) {
				if d.Err != nil || d.Range.IsSatisfiable() {
					continue
				}
				p.Report(validate.Finding{
					Severity: severityOfRange(p, d),
					Place:    p.Value(d.Pointer),
					Message:  fmt.Sprintf("no version satisfies %q", d.Text),
				})
			}
		},
	}
}

// severityOfRange returns the severity of a finding about a range: a warning if it is that of another
// profile or Grafana's published schema accepts it, or else that of the rule.
func severityOfRange(p *validate.Pass, d inspect.DeclaredRange) validate.Severity {
	isRefused := slices.ContainsFunc(schema.Violations(p), func(v schema.Violation) bool { return v.Pointer == d.Pointer })
	if !d.IsOther && (p.Profile.Name != "grafana" || isRefused) {
		return ""
	}
	return validate.Warning
}
