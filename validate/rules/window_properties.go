package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func windowProperties() validate.Rule {
	return validate.Rule{
		ID:      "window-properties",
		Summary: "frontend that uses internal properties of window",
		Why:     "The host keeps its own state in these properties, and changes or removes them in any version.",
		Help:    "use what @grafana/runtime and @grafana/data export, such as config",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			internal := []string{"grafanaBootData", "grafanaRuntime", "__grafanaSceneContext"}
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for i, name := range s.WindowMembers() {
					if slices.Contains(internal, name) {
						p.Reportf(s.At(p, i, i), "window.%s is internal to the host", name)
					}
				}
			}, internal...)
		},
	}
}
