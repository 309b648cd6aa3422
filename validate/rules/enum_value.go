package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

func enumValue(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "enum-value",
		Severity: validate.Error,
		Summary:  "where the contract lists the values, the value is one of them",
		Why:      "The service does not know other values: it refuses the plugin or ignores the property.",
		Help:     "use one of the values that the contract lists",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "enum" {
					continue
				}
				if isDependencyType(f.pointer) && p.Runs("dependency-unknown-type") {
					continue // that rule speaks of it
				}
				text, _ := p.Doc.Text(f.pointer)
				finding := validate.Finding{
					Place:   p.Value(f.pointer),
					Message: fmt.Sprintf("%s must be %s, not %q", object(f.pointer), either(choices(f)), text),
					Help:    "use one of the listed values",
				}
				if near := nearest.Name(text, choices(f)); near != "" {
					finding.Help = fmt.Sprintf("did you mean %q?", near)
					if strings.EqualFold(near, strings.TrimSpace(text)) {
						finding.Fix = &validate.Fix{Title: fmt.Sprintf("write %q", near), Edits: []validate.Edit{p.Replace(f.pointer, near)}}
					}
				}
				p.Report(finding)
			}
		},
	}
}

// choices are the values that the schema allows.
func choices(f fault) (all []string) {
	for _, v := range f.node["enum"].([]any) {
		all = append(all, v.(string))
	}
	return all
}
