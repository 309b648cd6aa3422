package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestMissing() validate.Rule {
	return validate.Rule{
		ID:      "manifest-missing",
		Summary: "packaged plugin without a signature",
		Why: "Grafana loads a plugin without a MANIFEST.txt, which its service signs, only if the setting allow_loading_unsigned_plugins " +
			"names it.",
		Help:        "sign dist with @grafana/sign-plugin before packaging; a new plugin is signed during its review",
		Where:       validate.Zip,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			if inspect.Manifest.Of(p).File == "" && !unsignedPlugin.isOff(p) {
				p.Reportf(p.Whole(), "the plugin is not signed: no MANIFEST.txt next to plugin.json")
			}
		},
	}
}
