package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func descriptionEmpty() validate.Rule {
	return validate.Rule{
		ID:      "description-empty",
		Summary: "missing or empty description",
		Why:     "Lists show the description below the name. Without it, people must install the plugin to learn what it does.",
		Help:    `describe the plugin in "info.description" in one or two sentences`,
		Check: func(p *validate.Pass) {
			const pointer = "/info/description"
			text, isText := p.Doc.Text(pointer)
			switch {
			case p.Doc.Kind("/info") != "object", strings.TrimSpace(text) != "":
			case isText:
				p.Reportf(p.Value(pointer), `"info.description" is empty`)
			case !p.Doc.Has(pointer):
				at := p.Opening("/info")
				at.Pointer = pointer
				p.Reportf(at, `"info" is missing the key "description"`)
			}
		},
	}
}
