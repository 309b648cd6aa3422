package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathEscape() validate.Rule {
	return validate.Rule{
		ID:      "path-escape",
		Summary: "path that points outside the plugin",
		Why: "Only the plugin's directory is packaged. Files outside it are missing after installation, and a plugin must not be " +
			"able to read them.",
		Help: "put the file in the plugin and write its path relative to plugin.json",
		Check: func(p *validate.Pass) {
			for _, a := range inspect.Assets.Of(p) {
				if a.Verdict == inspect.PathEscapes {
					p.Reportf(p.Value(a.Pointer), "path %q %s", a.Text, a.Problem)
				}
			}
		},
	}
}
