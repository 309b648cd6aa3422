package rules

import (
	"bytes"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func jsonSyntax() validate.Rule {
	return validate.Rule{
		ID:       "json-syntax",
		Severity: validate.Error,
		Summary:  "invalid JSON",
		Why:      "The host parses strict JSON, without comments or trailing commas. It does not load a plugin whose plugin.json it cannot parse.",
		Help:     "fix the syntax here or just before",
		IsRaw:    true,
		Check: func(p *validate.Pass) {
			bad := invalidUTF8(p.Data)
			for _, f := range p.Syntax {
				if f.Pos.Offset == bad {
					continue // json-bom reports it
				}
				at := p.At("", bundle.Span{Start: f.Pos, End: f.End})
				if f.End == f.Pos {
					at.EndColumn++
				}
				p.Report(validate.Finding{Place: at, Message: "invalid JSON: " + f.Problem, Help: f.Help, Fix: dropSyntax(p, f)})
			}
		},
	}
}

// dropSyntax is the fix that deletes a comment or a trailing comma, or nil if the
// document has other syntax errors.
func dropSyntax(p *validate.Pass, f *bundle.SyntaxError) *validate.Fix {
	if p.Doc == nil {
		return nil
	}
	data, from, to := p.Doc.Data, f.Pos.Offset, f.End.Offset
	title := "delete the comma"
	if data[from] != ',' {
		title = "delete the comment"
		from, to = withSpace(data, from, to)
	}
	mark := len(p.Data) - len(data)
	return &validate.Fix{Title: title, Edits: []validate.Edit{{File: p.File, From: from + mark, To: to + mark}}}
}

// withSpace extends a range by the spaces before it and, if nothing else is on its
// lines, by the line break.
func withSpace(data []byte, from, to int) (int, int) {
	for from > 0 && (data[from-1] == ' ' || data[from-1] == '\t') {
		from--
	}
	if from > 0 && data[from-1] != '\n' {
		return from, to
	}
	rest := bytes.TrimLeft(data[to:], " \t\r")
	if len(rest) == 0 {
		return from, len(data)
	}
	if rest[0] == '\n' {
		return from, len(data) - len(rest) + 1
	}
	return from, to
}
