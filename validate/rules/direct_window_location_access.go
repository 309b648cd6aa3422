package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func directWindowLocationAccess(p *validate.Pass) {
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for i, name := range s.WindowMembers() {
			if name == "location" && s.Is(i+1, ".", "?.") && s.Is(i+2, "search", "href") {
				p.Reportf(s.At(p, i, i+2), "window.location.%s is used instead of the router of the host", s.Text(i+2))
			}
		}
	}, "window")
}
