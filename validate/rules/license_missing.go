package rules

import "github.com/slipway-dev/slipway/validate"

func licenseMissing() validate.Rule {
	return validate.Rule{
		ID:       "license-missing",
		Severity: validate.Warning,
		Summary:  "the plugin has a licence",
		Why:      "Without a licence nobody may use or pass on the plugin, and catalogues do not accept it.",
		Help:     "put the text of the licence into a file LICENSE beside plugin.json or the folder src",
		Check:    func(p *validate.Pass) { needText(p, "LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING") },
	}
}
