package rules

import "github.com/slipway-dev/slipway/validate"

func changelogMissing() validate.Rule {
	return validate.Rule{
		ID:       "changelog-missing",
		Severity: validate.Warning,
		Summary:  "the plugin has a CHANGELOG.md",
		Why:      "Who updates a plugin wants to know what changes for them. The service shows this file beside the new version.",
		Help:     "write CHANGELOG.md beside plugin.json or the folder src",
		Check:    func(p *validate.Pass) { needText(p, "CHANGELOG.md") },
	}
}
