package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func schemaMissing() validate.Rule {
	return validate.Rule{
		ID:          "schema-missing",
		Summary:     `missing "$schema"`,
		Why:         `With "$schema", editors complete, explain and check the keys of plugin.json as you type.`,
		Help:        `add "$schema"`,
		Where:       validate.Source,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			if p.Doc.Kind("") != "object" || p.Doc.Has("/$schema") || inspect.IsPartOfService(p) {
				return
			}
			address := p.Profile.SchemaURL
			at := p.Opening("")
			at.Pointer = "/$schema"
			p.Report(validate.Finding{
				Place:   at,
				Message: `missing "$schema", which editors use to complete and check this file`,
				Help:    fmt.Sprintf(`add "$schema": %q`, address),
				Fix:     &validate.Fix{Title: `add "$schema"`, Edits: []validate.Edit{p.Insert("", "$schema", address)}},
			})
		},
	}
}
