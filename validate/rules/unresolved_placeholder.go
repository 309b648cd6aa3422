package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func unresolvedPlaceholder(p *validate.Pass) {
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
}
