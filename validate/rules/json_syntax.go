package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func jsonSyntax() validate.Rule {
	return validate.Rule{
		ID:       "json-syntax",
		Severity: validate.Error,
		Summary:  "plugin.json is JSON",
		Why:      "The service reads strict JSON: no comments, no comma after the last entry. It does not load a plugin whose plugin.json it cannot read.",
		Mend:     "mend the file at this place or just before it",
		IsRaw:    true,
		Check: func(p *validate.Pass) {
			if p.Syntax == nil {
				return
			}
			end := p.Syntax.Pos
			end.Column++
			p.Reportf(p.At("", bundle.Span{Start: p.Syntax.Pos, End: end}), "this is not JSON: %s", p.Syntax.Problem)
		},
	}
}
