package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nameEqualsID() validate.Rule {
	return validate.Rule{
		ID:      "name-equals-id",
		Summary: "name that repeats the id",
		Why:     "People see the name in lists. A few words are more informative than an id.",
		Help:    `write a readable name, such as "Acme Clock"`,
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			if name, _ := p.Doc.Text("/name"); name != "" && name == id && !inspect.IsPartOfService(p) {
				p.Report(validate.Finding{
					Place:   p.Value("/name"),
					Message: "name is the same as the id",
					Related: []validate.Related{{Place: p.Value("/id"), Message: "the id is set here"}},
				})
			}
		},
	}
}
