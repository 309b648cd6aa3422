package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/ranges"
)

func requiredField(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "required-field",
		Severity: validate.Error,
		Summary:  "every property that must be there is there and says something",
		Why:      "The service and the catalogue rely on these properties. Without them a plugin is refused or shown without its name, version or logo.",
		Help:     "add the property",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				switch f.keyword {
				case "required":
					reportMissing(p, f)
				case "minLength":
					p.Report(validate.Finding{
						Place:   p.Value(f.pointer),
						Message: fmt.Sprintf("%s is empty", object(f.pointer)),
						Help:    fmt.Sprintf("write it between the quotes: %s", f.node["description"]),
					})
				}
			}
		},
	}
}

// reportMissing reports a missing property at the object that lacks it.
func reportMissing(p *validate.Pass, f fault) {
	in, name := parent(f.pointer)
	at := p.Opening(in)
	at.Pointer = f.pointer
	property := f.node["properties"].(map[string]any)[name].(map[string]any)
	finding := validate.Finding{
		Place:   at,
		Message: fmt.Sprintf("%s lacks %q", object(in), name),
		Help:    fmt.Sprintf("add %q, %s: %s", name, noun(property["type"].(string)), property["description"]),
	}
	if older := "/dependencies/" + p.Profile.LegacyDependencyKey; f.pointer == rangePointer(p) && p.Doc.Has(older) {
		text, _ := p.Doc.Text(older)
		if r, err := ranges.Parse(text); err == nil && r.IsSatisfiable() {
			lowest, _ := r.Lowest()
			finding.Help = fmt.Sprintf("add %q: \">=%s\", if the plugin works with later versions too", name, lowest)
		}
		finding.Related = []validate.Related{{Place: p.Value(older), Message: "this is the older way to say it"}}
	}
	p.Report(finding)
}

// object names the object at a pointer.
func object(pointer string) string {
	if pointer == "" {
		return "plugin.json"
	}
	return fmt.Sprintf("%q", dotted(pointer))
}
