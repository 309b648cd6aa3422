package rules

import "github.com/slipway-dev/slipway/validate"

func nameEqualsID() validate.Rule {
	return validate.Rule{
		ID:       "name-equals-id",
		Severity: validate.Warning,
		Summary:  "the name is for people, not the id again",
		Why:      "People find the plugin in lists by its name. An id there tells them less than a few words.",
		Help:     "write a name such as \"Acme Clock\"",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			if name, _ := p.Doc.Text("/name"); name != "" && name == id && !isPartOfService(p) {
				p.Report(validate.Finding{
					Place:   p.Value("/name"),
					Message: "the name is the id again",
					Related: []validate.Related{{Place: p.Value("/id"), Message: "the id is here"}},
				})
			}
		},
	}
}
