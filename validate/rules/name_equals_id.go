package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nameEqualsID(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	if name, _ := p.Doc.Text("/name"); name != "" && name == id && !inspect.IsPartOfService(p) {
		p.Report(validate.Finding{
			Place:   p.Value("/name"),
			Message: "name is the same as the id",
			Related: []validate.Related{{Place: p.Value("/id"), Message: "the id is set here"}},
		})
	}
}
