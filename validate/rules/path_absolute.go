package rules

import "github.com/slipway-dev/slipway/validate"

func pathAbsolute() validate.Rule {
	return validate.Rule{
		ID:       "path-absolute",
		Severity: validate.Error,
		Summary:  "paths are relative and written with /",
		Why:      "A plugin is installed in a folder that its author does not know, on any system, often without a way to the internet. Only a relative path leads to the same file everywhere.",
		Mend:     "put the file into the plugin and write its path from the folder of plugin.json, such as img/logo.svg",
		Check: func(p *validate.Pass) {
			for _, a := range assets(p) {
				if a.verdict == pathIsAbsolute {
					p.Reportf(p.Value(a.pointer), "the path %q %s", a.text, a.detail)
				}
			}
		},
	}
}
