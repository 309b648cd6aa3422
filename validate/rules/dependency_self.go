package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencySelf(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	for _, d := range inspect.Dependencies(p.Doc) {
		if d.ID == id {
			p.Report(validate.Finding{
				Place:   p.Value(d.Pointer + "/id"),
				Message: "plugin depends on itself",
				Related: []validate.Related{{Place: p.Value("/id"), Message: "its id is set here"}},
				Fix:     &validate.Fix{Title: "delete the entry", Edits: []validate.Edit{p.Remove(d.Pointer)}},
			})
		}
	}
}
