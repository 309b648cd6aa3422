package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func dependencyRangeUnsatisfiable() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-unsatisfiable",
		Severity: validate.Error,
		Summary:  "there can be a service version in the range",
		Why:      "Conditions with a space between them must hold together. If they exclude each other, no service can ever load the plugin.",
		Help:     "join alternatives with ||, such as 6.x.x || 7.x.x, or widen the range",
		Check: func(p *validate.Pass) {
			r, err, ok := serviceRange(p)
			if !ok || err != nil || r.IsSatisfiable() {
				return
			}
			text, _ := p.Doc.Text(rangePointer(p))
			p.Report(validate.Finding{
				Place:   p.Value(rangePointer(p)),
				Message: fmt.Sprintf("no version can satisfy %q", text),
			})
		},
	}
}
