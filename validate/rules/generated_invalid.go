package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

const extensionsPointer = "/generated/extensions"

func generatedInvalid(p *validate.Pass) {
	for _, v := range schema.GeneratedViolations(p) {
		p.Reportf(v.Place(p), "%s", v.Message(p.Doc))
	}
	seen := map[string]string{}
	for _, item := range p.Doc.Items(extensionsPointer) {
		point, isText := p.Doc.Text(item + "/extensionPointId")
		if isText && strings.TrimSpace(point) == "" {
			p.Reportf(p.Value(item+"/extensionPointId"), "%s is empty", schema.Name(item+"/extensionPointId"))
			continue
		}
		var parts []string
		for _, key := range []string{"extensionPointId", "type", "title", "description"} {
			text, _ := p.Doc.Text(item + "/" + key)
			parts = append(parts, text)
		}
		all := strings.Join(parts, "\x00")
		if first, again := seen[all]; again {
			p.Report(validate.Finding{
				Place:   p.Opening(item),
				Message: fmt.Sprintf("duplicate extension of %q", point),
				Related: []validate.Related{{Place: p.Opening(first), Message: "first listed here"}},
			})
		}
		seen[all] = item
	}
}
