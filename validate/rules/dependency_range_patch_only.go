package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func dependencyRangePatchOnly() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-patch-only",
		Severity: validate.Warning,
		Summary:  "the range admits more than the patches of one minor version",
		Why:      "Minor versions of the service come every few weeks. With the next one the plugin can no longer be installed.",
		Help:     "name only the lowest version, such as >=10.3.0",
		Check: func(p *validate.Pass) {
			if shapeOfRange(p) != onePatchLevel {
				return
			}
			text, _ := p.Doc.Text(rangePointer(p))
			r, _, _ := serviceRange(p)
			lowest, _ := r.Lowest()
			p.Report(validate.Finding{
				Place:   p.Value(rangePointer(p)),
				Message: fmt.Sprintf("%q admits only the patches of %d.%d", text, lowest.Major, lowest.Minor),
				Help:    fmt.Sprintf("write >=%s, if the plugin works with later versions too", lowest),
			})
		},
	}
}
