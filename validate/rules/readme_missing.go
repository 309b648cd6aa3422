package rules

import "github.com/slipway-dev/slipway/validate"

func readmeMissing() validate.Rule {
	return validate.Rule{
		ID:       "readme-missing",
		Severity: validate.Warning,
		Summary:  "the plugin has a README.md",
		Why:      "It is what people see when they look at the plugin in a catalogue: what it is for and how it is set up.",
		Help:     "write README.md beside plugin.json or the folder src",
		Check:    func(p *validate.Pass) { needText(p, "README.md") },
	}
}
