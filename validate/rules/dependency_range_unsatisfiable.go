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
			"cannot be installed. In the grafana profile, the finding is a warning if Grafana's published schema accepts the range.",
		Help: "separate alternatives with ||, as in 6.x.x || 7.x.x, or widen the range",
		Check: func(p *validate.Pass) {
			r, err, ok := inspect.ServiceRange(p)
			if !ok || err != nil || r.IsSatisfiable() {
				return
			}
			text, _ := p.Doc.Text(inspect.RangePointer(p))
			p.Report(validate.Finding{
				Severity: severityOfRange(p),
				Place:    p.Value(inspect.RangePointer(p)),
				Message:  fmt.Sprintf("no version satisfies %q", text),
			})
		},
	}
}

// severityOfRange returns the severity of a finding about the range of service versions: a warning
// if Grafana's published schema accepts the range, or else that of the rule.
func severityOfRange(p *validate.Pass) validate.Severity {
	isRefused := slices.ContainsFunc(schema.Violations(p), func(v schema.Violation) bool { return v.Pointer == inspect.RangePointer(p) })
	if p.Profile.Name != "grafana" || isRefused {
		return ""
	}
	return validate.Warning
}
