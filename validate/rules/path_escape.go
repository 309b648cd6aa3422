package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathEscape(p *validate.Pass) {
	for _, a := range inspect.Assets.Of(p) {
		if a.Verdict == inspect.PathEscapes {
			p.Reportf(p.Value(a.Pointer), "path %q %s", a.Text, a.Problem)
		}
	}
}
