package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func windowOpenWithoutNoopener(p *validate.Pass) {
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for i, name := range s.WindowMembers() {
			args, isCall := s.Arguments(i)
			if name != "open" || !isCall || len(args) == 0 {
				continue
			}
			features := ""
			if len(args) > 2 {
				features = string(s.Data[s.Tokens[args[2][0]].From:s.Tokens[args[2][1]].To])
				if literal, ok := s.Literal(args[2][0], args[2][1]); ok {
					features = literal
				}
			}
			if !strings.Contains(features, "noopener") || !strings.Contains(features, "noreferrer") {
				p.Reportf(s.At(p, i, i), "window.open is called without noopener and noreferrer")
			}
		}
	}, "window")
}
