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
			bad := invalidUTF8(p.Data)
			for _, f := range p.Syntax {
				if f.Pos.Offset == bad {
					continue // json-bom speaks of it
				}
				at := p.At("", bundle.Span{Start: f.Pos, End: f.End})
				if f.End == f.Pos {
					at.EndColumn++
				}
				p.Report(validate.Finding{Place: at, Message: "this is not JSON: " + f.Problem, Mend: f.Mend})
			}
		},
	}
}
