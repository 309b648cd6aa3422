package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangeInvalid() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-invalid",
		Severity: validate.Error,
		Summary:  "invalid range of service versions",
		Why: "The host checks its own version against this range. A range that it cannot parse allows either no version or every " +
			"version. In the grafana profile, the finding is a warning if Grafana's published schema accepts the range.",
		Help: "write a range such as >=10.3.0",
		Check: func(p *validate.Pass) {
			_, err, ok := inspect.ServiceRange(p)
			if !ok || err == nil {
				return
			}
			text, _ := p.Doc.Text(inspect.RangePointer(p))
			p.Report(validate.Finding{
				Severity: severityOfRange(p),
				Place:    p.Within(inspect.RangePointer(p), err.Offset, err.End),
				Message:  fmt.Sprintf("%q is not a valid range: %s", text, err.Problem),
				Help:     err.Help,
			})
		},
	}
}
