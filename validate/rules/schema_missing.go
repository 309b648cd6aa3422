package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func schemaMissing() validate.Rule {
	return validate.Rule{
		ID:       "schema-missing",
		Severity: validate.Info,
		Summary:  `missing "$schema"`,
		Why:      `With "$schema", editors complete, explain and check the keys of plugin.json as you type.`,
		Help:     `add "$schema"`,
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			if p.Doc.Kind("") != "object" || inspect.IsNested(p) || p.Doc.Has("/$schema") || inspect.IsPartOfService(p) {
				return
			}
			address := schemaAddress(p.Profile)
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

// schemaAddress is where the schema of a profile is published.
func schemaAddress(profile bundle.Profile) string {
	return map[string]string{
		"service": "https://raw.githubusercontent.com/slipway-dev/slipway/main/validate/schema/plugin.schema.json",
		"grafana": "https://raw.githubusercontent.com/grafana/grafana/main/docs/sources/developers/plugins/plugin.schema.json",
	}[profile.Name]
}
