package rules

import (
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func metaMissing() validate.Rule {
	return validate.Rule{
		ID:       "meta-missing",
		Severity: validate.Error,
		Summary:  "there is a plugin.json to check",
		Why:      "The service takes a folder for a plugin if it holds plugin.json. Where a plugin has a dist folder, the service looks only into that.",
		Help:     "name the folder of a plugin, or write plugin.json there",
		IsRaw:    true,
		Check: func(p *validate.Pass) {
			switch {
			case !p.IsMissing:
			case path.Base(p.Dir) == bundle.DistDir:
				p.Report(validate.Finding{
					Place:   p.Whole(),
					Message: "this dist folder holds no plugin.json, and the service looks only into dist",
					Help:    "build the plugin, or delete dist",
				})
			default:
				p.Reportf(p.Whole(), "there is no plugin.json here, nor in src, dist or any folder below")
			}
		},
	}
}
