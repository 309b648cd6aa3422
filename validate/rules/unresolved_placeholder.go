package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func unresolvedPlaceholder() validate.Rule {
	return validate.Rule{
		ID:       "unresolved-placeholder",
		Severity: validate.Error,
		Summary:  "a built plugin.json has no placeholders left",
		Why:      "The build puts the version, the day and the id in the place of %VERSION%, %TODAY% and %PLUGIN_ID%. What is left of them reaches the users as it stands, and the service cannot compare such a version.",
		Help:     "build the plugin again, or write the value",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, pointer := range p.Doc.Pointers() {
				text, _ := p.Doc.Text(pointer)
				if pointer == rangePointer(p) {
					continue // dependency-range-invalid speaks of it
				}
				for from := 0; ; {
					name, at := bundle.FindPlaceholder(text[from:])
					if name == "" {
						break
					}
					at += from
					from = at + len(name)
					p.Reportf(p.Within(pointer, at, from), "the placeholder %s was not replaced", name)
				}
			}
		},
	}
}
