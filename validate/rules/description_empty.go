package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func descriptionEmpty() validate.Rule {
	return validate.Rule{
		ID:       "description-empty",
		Severity: validate.Warning,
		Summary:  "the plugin says what it is for",
		Why:      "Lists show the description below the name. Without it people must install a plugin to learn what it does.",
		Help:     "write one or two sentences on what the plugin is for into \"info.description\"",
		Check: func(p *validate.Pass) {
			const pointer = "/info/description"
			text, isText := p.Doc.Text(pointer)
			switch {
			case p.Doc.Kind("/info") != "object", strings.TrimSpace(text) != "":
			case isText:
				p.Reportf(p.Value(pointer), "the description is empty")
			case !p.Doc.Has(pointer):
				at := p.Opening("/info")
				at.Pointer = pointer
				p.Reportf(at, "\"info\" has no description")
			}
		},
	}
}
