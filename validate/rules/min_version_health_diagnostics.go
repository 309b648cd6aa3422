package rules

import (
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
)

func minVersionHealthDiagnostics() validate.Rule {
	return validate.Rule{
		ID:       "min-version-health-diagnostics",
		Severity: validate.Error,
		Summary:  `"healthDiagnosticsErrors" with service versions before 7.5.5`,
		Why:      "Earlier hosts ignore this setting and do not show errors from health diagnostics.",
		Help:     "raise the lower bound of the range of service versions to 7.5.5 or later",
		Check: func(p *validate.Pass) {
			const pointer = "/enterpriseFeatures/healthDiagnosticsErrors"
			if p.Doc.Kind(pointer) != "boolean" {
				return
			}
			severity := validate.Info // false is also what earlier hosts do
			if p.Doc.Bool(pointer) {
				severity = validate.Error
			}
			needsVersion(p, pointer, ranges.Version{Major: 7, Minor: 5, Patch: 5}, severity)
		},
	}
}
