package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

const dependencyRangeInvalidID = "dependency-range-invalid"

func dependencyRangeInvalid(p *validate.Pass) {
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
}
