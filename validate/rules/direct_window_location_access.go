package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func directWindowLocationAccess() validate.Rule {
	return validate.Rule{
		ID:      "direct-window-location-access",
		Summary: "frontend that uses window.location instead of the host's router",
		Why:     "The host may be served below a path, and its router does not notice changes of window.location: the page is loaded again.",
		Help:    "use locationService of @grafana/runtime",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for i, name := range s.WindowMembers() {
					if name == "location" && s.Is(i+1, ".", "?.") && s.Is(i+2, "search", "href") {
						p.Reportf(s.At(p, i, i+2), "window.location.%s is used instead of the router of the host", s.Text(i+2))
					}
				}
			}, "window")
		},
	}
}
