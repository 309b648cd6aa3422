package rules

import (
	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
)

func minVersionHealthDiagnostics() validate.Rule {
	return validate.Rule{
		ID:      "min-version-health-diagnostics",
		Summary: `"healthDiagnosticsErrors" with service versions before 7.5.5`,
		Why:     "Earlier hosts ignore this setting and do not show errors from health diagnostics.",
		Help:    "raise the lower bound of the range of service versions to 7.5.5 or later",
		Aspect:  "plugin.json",
		Check: func(p *validate.Pass) {
			const pointer = "/enterpriseFeatures/healthDiagnosticsErrors"
			if p.Doc.Kind(pointer) != "boolean" {
				return
			}
			k := healthOff // as earlier hosts do
			if p.Doc.Bool(pointer) {
				k = ordinary
			}
			needsVersion(p, pointer, semver.New(7, 5, 5, "", ""), k)
		},
	}
}
