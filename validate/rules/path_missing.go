package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathMissing() validate.Rule {
	return validate.Rule{
		ID:       "path-missing",
		Severity: validate.Error,
		Summary:  "path to a missing file",
		Why:      "A missing logo, screenshot or dashboard appears as a broken image or an error.",
		Help:     "add the file, or correct the path, which is relative to plugin.json",
		Check: func(p *validate.Pass) {
			for _, a := range inspect.Assets.Of(p) {
				if a.Verdict == inspect.PathMissing {
					p.Reportf(p.Value(a.Pointer), "path %q %s", a.Text, a.Problem)
				}
			}
		},
	}
}
