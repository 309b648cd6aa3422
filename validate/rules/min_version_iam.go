package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/ranges"
)

func minVersionIAM() validate.Rule {
	return validate.Rule{
		ID:       "min-version-iam",
		Severity: validate.Error,
		Summary:  "a plugin with \"iam\" asks for service version 10.3.0 or later",
		Why:      "Older services do not make a service account for a plugin, so its backend starts there without a token.",
		Help:     "raise the lower bound of the range of service versions to 10.3.0 or later",
		Check: func(p *validate.Pass) {
			if len(p.Doc.Items("/iam/permissions")) > 0 {
				needsVersion(p, "/iam", ranges.Version{Major: 10, Minor: 3}, "")
			}
		},
	}
}
