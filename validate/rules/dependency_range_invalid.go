package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

const dependencyRangeInvalidID = "dependency-range-invalid"

func dependencyRangeInvalid() validate.Rule {
	return validate.Rule{
		ID:      dependencyRangeInvalidID,
		Summary: "invalid range of service versions",
		Why: "The host checks its own version against this range. A range that it cannot parse allows either no version or every " +
			"version. The finding is a warning for the range of the other profile, and in the grafana profile if Grafana's published schema " +
			"accepts the range.",
		Help: "write a range such as >=10.3.0",
		Check: func(p *validate.Pass) {
			for _, d := range inspect.DeclaredRanges.Of(p) {
				if d.Err == nil {
					continue
				}
				p.Report(validate.Finding{
					Severity: kindOfRange(p, d).in(p),
					Place:    p.Within(d.Pointer, d.Err.Offset, d.Err.End),
					Message:  fmt.Sprintf("%q is not a valid range: %s", d.Text, d.Err.Problem),
					Help:     d.Err.Help,
				})
			}
		},
	}
}
