package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func windowProperties(p *validate.Pass) {
	internal := []string{"grafanaBootData", "grafanaRuntime", "__grafanaSceneContext"}
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for i, name := range s.WindowMembers() {
			if slices.Contains(internal, name) {
				p.Reportf(s.At(p, i, i), "window.%s is internal to the host", name)
			}
		}
	}, internal...)
}
