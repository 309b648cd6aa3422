package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func unresolvedPlaceholder() validate.Rule {
	return validate.Rule{
		ID:      "unresolved-placeholder",
		Summary: "placeholder left in a built plugin.json",
		Why: "The build replaces %VERSION%, %TODAY% and %PLUGIN_ID%. Users see any placeholder that is left, and a version that " +
			"contains one cannot be compared.",
		Help:  "build the plugin again, or write the value",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, pointer := range p.Doc.Pointers() {
				text, _ := p.Doc.Text(pointer)
				if pointer == inspect.RangePointer(p) {
					continue // dependency-range-invalid reports it
				}
				for from := 0; ; {
					name, at := bundle.FindPlaceholder(text[from:])
					if name == "" {
						break
					}
					at += from
					from = at + len(name)
					p.Reportf(p.Within(pointer, at, from), "placeholder %s was not replaced", name)
				}
			}
		},
	}
}
