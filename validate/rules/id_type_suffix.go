package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func idTypeSuffix(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	kind, _ := p.Doc.Text("/type")
	if !strings.Contains(id, "-") || !slices.Contains(bundle.Types(), bundle.Type(kind)) || inspect.IsBuiltIn(p) {
		return // id-format and enum-value report it
	}
	if strings.HasSuffix(id, "-"+kind) {
		return
	}
	p.Report(validate.Finding{
		Place:   p.Value("/id"),
		Message: fmt.Sprintf("id %q does not end with %q", id, "-"+kind),
		Related: []validate.Related{{Place: p.Value("/type"), Message: "the type is set here"}},
	})
}
