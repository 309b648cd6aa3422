package rules

import (
	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
)

func minVersionRoles() validate.Rule {
	return validate.Rule{
		ID:      "min-version-roles",
		Summary: `"roles" with service versions before 9.4.0`,
		Why:     "Earlier hosts do not support plugin roles. Nobody is granted them, and what they protect is inaccessible.",
		Help:    "raise the lower bound of the range of service versions to 9.4.0 or later",
		Aspect:  "plugin.json",
		Check: func(p *validate.Pass) {
			if len(p.Doc.Items("/roles")) > 0 {
				needsVersion(p, "/roles", semver.New(9, 4, 0, "", ""), ordinary)
			}
		},
	}
}
