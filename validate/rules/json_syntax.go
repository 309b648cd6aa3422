package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func jsonSyntax(p *validate.Pass) {
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
}

// dropSyntax is the fix that adds a missing comma or deletes a trailing one, or nil if the document has errors that make
// it impossible to understand. A comment has no fix: it may contain what its author needs.
func dropSyntax(p *validate.Pass, f *bundle.SyntaxError) *validate.Fix {
	from := f.Pos.Offset
	if p.Doc == nil {
		return nil
	}
	mark := len(p.Data) - len(p.Doc.Data)
	if f.Problem == bundle.ExpectedComma {
		return &validate.Fix{Title: "add the comma", Edits: []validate.Edit{{File: p.File, From: from + mark, To: from + mark, Text: ","}}}
	}
	if p.Doc.Data[from] != ',' {
		return nil
	}
	return &validate.Fix{Title: "delete the comma", Edits: []validate.Edit{{File: p.File, From: from + mark, To: f.End.Offset + mark}}}
}
