package rules

import (
	"path"
	"slices"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func noDirectCSSImports(p *validate.Pass) {
	inspect.EachScript(p, func(s *inspect.Script) {
		if path.Ext(s.Name) == ".js" {
			return
		}
		for _, m := range s.Imports() {
			if len(m.Names) == 0 && slices.Contains([]string{".css", ".scss", ".less"}, path.Ext(m.Module)) {
				p.Reportf(s.At(p, m.At, m.At), "%s applies to the whole page", path.Base(m.Module))
			}
			for _, n := range m.Names {
				if m.Module == "@emotion/react" && n.Name == "Global" {
					at := []int{n.At}
					for i := range s.Tokens { // its elements
						if s.Is(i, n.Local) && s.Is(i-1, "<") {
							at = append(at, i)
						}
					}
					for _, i := range at {
						p.Reportf(s.At(p, i, i), "the styles of Global apply to the whole page")
					}
				}
			}
		}
	}, ".css", ".scss", ".less", "Global")
}
