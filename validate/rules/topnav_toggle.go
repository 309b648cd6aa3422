package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func topnavToggle(p *validate.Pass) {
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for i := range s.Tokens {
			if s.Is(i, "topnav") && s.Is(i-1, ".", "?.") && s.Is(i-2, "featureToggles") {
				p.Reportf(s.At(p, i-2, i), "hosts no longer have the toggle topnav")
			}
		}
	}, "topnav")
}
