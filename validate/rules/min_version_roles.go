package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/ranges"
)

func minVersionRoles() validate.Rule {
	return validate.Rule{
		ID:       "min-version-roles",
		Severity: validate.Error,
		Summary:  "a plugin with \"roles\" asks for service version 9.4.0 or later",
		Why:      "Older services do not know roles of plugins: nobody gets them, and what they protect stays closed.",
		Help:     "raise the lower bound of the range of service versions to 9.4.0 or later",
		Check: func(p *validate.Pass) {
			if len(p.Doc.Items("/roles")) > 0 {
				needsVersion(p, "/roles", ranges.Version{Major: 9, Minor: 4}, "")
			}
		},
	}
}
