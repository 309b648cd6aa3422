package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestMissing(p *validate.Pass) {
	if inspect.Manifest.Of(p).File == "" && !unsignedPlugin.isOff(p) {
		p.Reportf(p.Whole(), "the plugin is not signed: no MANIFEST.txt next to plugin.json")
	}
}
