package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestMissing() validate.Rule {
	return validate.Rule{
		ID:       "manifest-missing",
		Severity: validate.Warning,
		Summary:  "packaged plugin without a manifest",
		Why:      "The manifest lists every file with its checksum, so that later changes are detected. A host may reject a plugin without one.",
		Help:     "package the plugin again, with the manifest",
		Where:    validate.Zip,
		Check: func(p *validate.Pass) {
			if !inspect.IsNested(p) && inspect.Manifest.Of(p).File == "" {
				p.Reportf(p.Whole(), "no MANIFEST.json or MANIFEST.txt next to plugin.json")
			}
		},
	}
}
