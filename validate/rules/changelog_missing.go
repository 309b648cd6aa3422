package rules

import "github.com/slipway-dev/slipway/validate"

func changelogMissing(p *validate.Pass) { needText(p, "CHANGELOG.md") }
