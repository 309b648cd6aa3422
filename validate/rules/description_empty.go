package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func descriptionEmpty(p *validate.Pass) {
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
}
