package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func schemaMissing() validate.Rule {
	return validate.Rule{
		ID:       "schema-missing",
		Severity: validate.Info,
		Summary:  "plugin.json names its schema",
		Why:      "With \"$schema\" an editor completes the properties of plugin.json, explains them and marks mistakes while you type.",
		Help:     "add \"$schema\"",
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			if p.Doc.Kind("") != "object" || isNested(p) || p.Doc.Has("/$schema") || isPartOfService(p) {
				return
			}
			address := schemaAddress(p.Profile)
			at := p.Opening("")
			at.Pointer = "/$schema"
			p.Report(validate.Finding{
				Place:   at,
				Message: "plugin.json does not name its schema, so editors cannot help with it",
				Help:    fmt.Sprintf("add \"$schema\": %q", address),
				Fix:     &validate.Fix{Title: "add \"$schema\"", Edits: []validate.Edit{p.Insert("", "$schema", address)}},
			})
		},
	}
}

// schemaAddress is where the schema of a profile is published.
func schemaAddress(profile bundle.Profile) string {
	return map[string]string{
		"service": "https://raw.githubusercontent.com/slipway-dev/slipway/main/validate/rules/plugin.schema.json",
		"grafana": "https://raw.githubusercontent.com/grafana/grafana/main/docs/sources/developers/plugins/plugin.schema.json",
	}[profile.Name]
}
