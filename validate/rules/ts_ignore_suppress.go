package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func tsIgnoreSuppress() validate.Rule {
	return validate.Rule{
		ID:      "ts-ignore-suppress",
		Summary: "comment that silences the TypeScript compiler",
		Why:     "The compiler would report what the comment hides, also when it changes with the next version of a library.",
		Help:    "correct the types; a type assertion hides less",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for at := range s.MatchComments(tsIgnore) {
					p.Reportf(s.Place(p, at), "%s hides errors of the compiler", s.Data[at.From:at.To])
				}
			}, "@ts-ignore", "@ts-expect-error")
		},
	}
}

// tsIgnore matches the directive where the compiler reads it: at the start of a line of a comment.
var tsIgnore = regexp.MustCompile(`(?m)^[ \t/*]*(@ts-(?:ignore|expect-error))\b`)
