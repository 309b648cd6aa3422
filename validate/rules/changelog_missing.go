package rules

import "github.com/slipway-dev/slipway/validate"

func changelogMissing() validate.Rule {
	return validate.Rule{
		ID:          "changelog-missing",
		Summary:     "missing or empty CHANGELOG.md",
		Why:         "People who update a plugin want to know what has changed. Catalogs show this file next to the new version.",
		Help:        "create CHANGELOG.md next to plugin.json or src",
		OfOutermost: true,
		Check:       func(p *validate.Pass) { needText(p, "CHANGELOG.md") },
	}
}
