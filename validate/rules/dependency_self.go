package rules

import "github.com/slipway-dev/slipway/validate"

func dependencySelf() validate.Rule {
	return validate.Rule{
		ID:       "dependency-self",
		Severity: validate.Error,
		Summary:  "a plugin does not depend on itself",
		Why:      "What a plugin depends on is installed before it. It cannot come before itself.",
		Help:     "delete the entry",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			for _, d := range dependenciesIn(p.Doc) {
				if d.id == id {
					p.Report(validate.Finding{
						Place:   p.Value(d.pointer + "/id"),
						Message: "the plugin depends on itself",
						Related: []validate.Related{{Place: p.Value("/id"), Message: "its id is here"}},
						Fix:     &validate.Fix{Title: "delete the entry", Edits: []validate.Edit{p.Remove(d.pointer)}},
					})
				}
			}
		},
	}
}
