package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func requiredField(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "required-field",
		Severity: validate.Error,
		Summary:  "every property that must be there is there",
		Why:      "The service and the catalogue rely on these properties. Without them a plugin is refused or shown without its name, version or logo.",
		Mend:     "add the property",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "required" {
					continue
				}
				in, name := parent(f.pointer)
				at := p.Opening(in)
				at.Pointer = f.pointer
				property := f.node["properties"].(map[string]any)[name].(map[string]any)
				p.Report(validate.Finding{
					Place:   at,
					Message: fmt.Sprintf("%s lacks %q", object(in), name),
					Mend:    fmt.Sprintf("add %q, %s: %s", name, noun(property["type"].(string)), property["description"]),
				})
			}
		},
	}
}

// object names the object at a pointer.
func object(pointer string) string {
	if pointer == "" {
		return "plugin.json"
	}
	return fmt.Sprintf("%q", dotted(pointer))
}
