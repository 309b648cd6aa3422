package rules

import (
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestMissing() validate.Rule {
	return validate.Rule{
		ID:       "manifest-missing",
		Severity: validate.Warning,
		Summary:  "packaged plugin without a manifest",
		Why: "The manifest lists every file with its checksum, so that later changes are detected. A host may reject a plugin without " +
			"one. Grafana signs MANIFEST.txt, and MANIFEST.json does not replace it in the preset catalog.",
		Help:  "package the plugin again, with the manifest",
		Where: validate.Zip,
		Check: func(p *validate.Pass) {
			m := inspect.Manifest.Of(p)
			switch {
			case inspect.IsNested(p):
			case p.IsCatalog && path.Base(m.File) != "MANIFEST.txt", m.File == "" && p.Profile.Name == "grafana":
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
