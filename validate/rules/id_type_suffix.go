package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func idTypeSuffix() validate.Rule {
	return validate.Rule{
		ID:       "id-type-suffix",
		Severity: validate.Warning,
		Summary:  "the id ends with the type of the plugin",
		Why:      "An id such as acme-clock-panel tells everyone who reads a log or an address what kind of plugin it is. Catalogues ask for it.",
		Help:     "let the id end with a hyphen and the type; once a plugin is published its id must stay",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			kind, _ := p.Doc.Text("/type")
			if !strings.Contains(id, "-") || !slices.Contains(bundle.Types(), bundle.Type(kind)) || isPartOfService(p) {
				return // id-format and enum-value speak of it
			}
			if strings.HasSuffix(id, "-"+kind) {
				return
			}
			p.Report(validate.Finding{
				Place:   p.Value("/id"),
				Message: fmt.Sprintf("the id %q does not end with -%s", id, kind),
				Related: []validate.Related{{Place: p.Value("/type"), Message: "the type is here"}},
			})
		},
	}
}
