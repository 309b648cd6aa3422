package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/script"
)

func tsIgnoreSuppress() validate.Rule {
	return validate.Rule{
		ID:       "ts-ignore-suppress",
		Severity: validate.Info,
		Catalog:  validate.Warning,
		Summary:  "comment that silences the TypeScript compiler",
		Why:      "The compiler would report what the comment hides, also when it changes with the next version of a library.",
		Help:     "correct the types; a type assertion hides less",
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for _, c := range s.Comments {
					for _, m := range tsIgnore.FindAllSubmatchIndex(s.Data[c.From:c.To], -1) {
						span := script.Span{From: c.From + m[2], To: c.From + m[3]}
						p.Reportf(s.Place(p, span), "%s hides errors of the compiler", s.Data[span.From:span.To])
					}
				}
			}, "@ts-ignore", "@ts-expect-error")
		},
	}
}

// tsIgnore matches the directive where the compiler reads it: at the start of a line of a comment.
var tsIgnore = regexp.MustCompile(`(?m)^[ \t/*]*(@ts-(?:ignore|expect-error))\b`)
