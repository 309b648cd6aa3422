package rules

import "github.com/slipway-dev/slipway/validate"

func pathEscape() validate.Rule {
	return validate.Rule{
		ID:       "path-escape",
		Severity: validate.Error,
		Summary:  "paths stay in the plugin",
		Why:      "Only the folder of the plugin is packaged. What lies outside is not there after the installation, and must not be reachable for a plugin.",
		Help:     "put the file into the plugin and write its path from the folder of plugin.json",
		Check: func(p *validate.Pass) {
			for _, a := range assets(p) {
				if a.verdict == pathEscapes {
					p.Reportf(p.Value(a.pointer), "the path %q %s", a.text, a.detail)
				}
			}
		},
	}
}
