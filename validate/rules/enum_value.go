package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func enumValue(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "enum-value",
		Severity: validate.Error,
		Summary:  "where the contract lists the values, the value is one of them",
		Why:      "The service does not know other values: it refuses the plugin or ignores the property.",
		Mend:     "use one of the values that the contract lists",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "enum" {
					continue
				}
				var choices []string
				for _, v := range f.node["enum"].([]any) {
					choices = append(choices, v.(string))
				}
				text, _ := p.Doc.Text(f.pointer)
				mend := "use one of the listed values"
				if near := nearest(text, choices); near != "" {
					mend = fmt.Sprintf("did you mean %q?", near)
				}
				p.Report(validate.Finding{
					Place:   p.Value(f.pointer),
					Message: fmt.Sprintf("%s must be %s, not %q", object(f.pointer), either(choices), text),
					Mend:    mend,
				})
			}
		},
	}
}
