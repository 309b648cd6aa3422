package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func dependencyRangeInvalid() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-invalid",
		Severity: validate.Error,
		Summary:  "the range of service versions can be read",
		Why:      "The service compares its own version with this range. A range that it cannot read admits no service at all, or every one.",
		Help:     "write a range such as >=10.3.0",
		Check: func(p *validate.Pass) {
			_, err, ok := serviceRange(p)
			if !ok || err == nil {
				return
			}
			p.Report(validate.Finding{
				Place:   p.Within(rangePointer(p), err.Offset, err.End),
				Message: fmt.Sprintf("%q is not a range: %s", p.Profile.DependencyKey, err.Problem),
				Help:    err.Help,
			})
		},
	}
}
