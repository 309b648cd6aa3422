package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func topnavToggle() validate.Rule {
	return validate.Rule{
		ID:      "topnav-toggle",
		Summary: "frontend that depends on the toggle topnav",
		Why: "The navigation that the toggle enabled is the only one today. Where the toggle is gone, such code takes the branch for the " +
			"old one.",
		Help:  "keep only the code for the enabled toggle",
		Where: validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for i := range s.Tokens {
					if s.Is(i, "topnav") && s.Is(i-1, ".", "?.") && s.Is(i-2, "featureToggles") {
						p.Reportf(s.At(p, i-2, i), "hosts no longer have the toggle topnav")
					}
				}
			}, "topnav")
		},
	}
}
