package rules

import "github.com/slipway-dev/slipway/validate"

func dependencyRangeSingleVersion() validate.Rule {
	return validate.Rule{
		ID:       "dependency-range-single-version",
		Severity: validate.Warning,
		Summary:  "the range admits more than one service version",
		Why:      "With the next version of the service, even one that only mends a fault, the plugin can no longer be installed.",
		Help:     "put >= before the version",
		Check: func(p *validate.Pass) {
			if shapeOfRange(p) == oneVersion {
				text, _ := p.Doc.Text(rangePointer(p))
				p.Reportf(p.Value(rangePointer(p)), "%q admits no service version but this one", text)
			}
		},
	}
}
