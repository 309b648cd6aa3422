package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func tsIgnoreSuppress(p *validate.Pass) {
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for _, at := range s.MatchComments(tsIgnore) {
			p.Reportf(s.Place(p, at), "%s hides errors of the compiler", s.Data[at.From:at.To])
		}
	}, "@ts-ignore", "@ts-expect-error")
}

// tsIgnore matches the directive where the compiler reads it: at the start of a line of a comment.
var tsIgnore = regexp.MustCompile(`(?m)^[ \t/*]*(@ts-(?:ignore|expect-error))\b`)
