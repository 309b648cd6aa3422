package rules

import (
	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
)

func minVersionRoles(p *validate.Pass) {
	if len(p.Doc.Items("/roles")) > 0 {
		needsVersion(p, "/roles", semver.New(9, 4, 0, "", ""), ordinary)
	}
}
