package rules

import "github.com/slipway-dev/slipway/validate"

func pathMissing() validate.Rule {
	return validate.Rule{
		ID:       "path-missing",
		Severity: validate.Error,
		Summary:  "the files that plugin.json names are there",
		Why:      "A logo, a picture or a dashboard that is not there shows as a broken image or an error to everyone who opens the plugin.",
		Help:     "add the file, or correct its path from the folder of plugin.json",
		Check: func(p *validate.Pass) {
			for _, a := range assets(p) {
				if a.verdict == pathIsMissing {
					p.Reportf(p.Value(a.pointer), "the path %q %s", a.text, a.detail)
				}
			}
		},
	}
}
