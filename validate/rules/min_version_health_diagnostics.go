package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/ranges"
)

func minVersionHealthDiagnostics() validate.Rule {
	return validate.Rule{
		ID:       "min-version-health-diagnostics",
		Severity: validate.Error,
		Summary:  "a plugin with \"healthDiagnosticsErrors\" asks for service version 7.5.5 or later",
		Why:      "Older services do not know the switch and show no errors of health diagnostics.",
		Help:     "raise the lower bound of the range of service versions to 7.5.5 or later",
		Check: func(p *validate.Pass) {
			const pointer = "/enterpriseFeatures/healthDiagnosticsErrors"
			if p.Doc.Kind(pointer) != "boolean" {
				return
			}
			severity := validate.Info // switched off it loses nothing
			if p.Doc.Bool(pointer) {
				severity = validate.Error
			}
			needsVersion(p, pointer, ranges.Version{Major: 7, Minor: 5, Patch: 5}, severity)
		},
	}
}
