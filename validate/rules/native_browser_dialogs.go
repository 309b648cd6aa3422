package rules

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nativeBrowserDialogs() validate.Rule {
	return validate.Rule{
		ID:      "native-browser-dialogs",
		Summary: "frontend that opens dialogs of the browser",
		Why:     "They block the page, ignore its theme, and browsers suppress them in embedded dashboards.",
		Help:    "use Modal or ConfirmModal of @grafana/ui, or publish an alert with getAppEvents of @grafana/runtime",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			dialogs := []string{"alert", "confirm", "prompt"}
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				report := func(i int) {
					if _, isCall := s.Arguments(i); isCall {
						p.Reportf(s.At(p, i, i), "%s opens a dialog of the browser", strings.Trim(s.Text(i), `'"`))
					}
				}
				for _, name := range dialogs {
					for i := range s.Globals(name) {
						report(i)
					}
				}
				for i, name := range s.WindowMembers() {
					if slices.Contains(dialogs, name) {
						report(i)
					}
				}
			}, "alert(", "confirm(", "prompt(", "window")
		},
	}
}
