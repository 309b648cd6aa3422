package rules

import "github.com/slipway-dev/slipway/validate"

func manifestMissing() validate.Rule {
	return validate.Rule{
		ID:       "manifest-missing",
		Severity: validate.Warning,
		Summary:  "a packaged plugin has a manifest",
		Why:      "The manifest lists every file with its sum, so that a change on the way can be seen. A service may refuse a plugin without one.",
		Help:     "package the plugin again with the manifest",
		Where:    validate.Zip,
		Check: func(p *validate.Pass) {
			if !isNested(p) && manifestOf(p).file == "" {
				p.Reportf(p.Whole(), "there is no MANIFEST.txt beside plugin.json")
			}
		},
	}
}
