package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func schemaMissing(p *validate.Pass) {
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
}
