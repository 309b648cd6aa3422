package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func consoleLogging(p *validate.Pass) {
	methods := []string{"log", "info", "table", "clear", "count", "countReset", "dir", "dirxml", "group", "groupEnd", "time", "timeEnd",
		"timeLog", "trace"}
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for i := range s.Globals("console") {
			if _, isCall := s.Arguments(i + 2); isCall && s.Is(i+1, ".", "?.") && slices.Contains(methods, s.Text(i+2)) {
				p.Reportf(s.At(p, i, i+2), "console.%s logs to the console", s.Text(i+2))
			}
		}
	}, "console")
}
