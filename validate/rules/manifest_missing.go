package rules

import (
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestMissing() validate.Rule {
	return validate.Rule{
		ID:      "manifest-missing",
		Summary: "packaged plugin without a manifest",
		Why: "The manifest lists every file with its checksum, so that later changes are detected. A host may reject a plugin without " +
			"one. Grafana signs MANIFEST.txt, and MANIFEST.json does not replace it in the preset catalog.",
		Help:        "package the plugin again, with the manifest",
		Where:       validate.Zip,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			m := inspect.Manifest.Of(p)
			switch {
			case path.Base(m.File) == "MANIFEST.txt":
			case m.File == "" && p.Profile.HasCatalog, !unsignedPlugin.isOff(p):
				p.Report(validate.Finding{
					Place:   p.Whole(),
					Message: "the plugin is not signed: no MANIFEST.txt next to plugin.json",
					Help:    "sign dist with @grafana/sign-plugin before packaging; a new plugin is signed during its review",
				})
			case m.File == "":
				p.Reportf(p.Whole(), "no MANIFEST.json or MANIFEST.txt next to plugin.json")
			}
		},
	}
}
