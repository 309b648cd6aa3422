package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func unresolvedPlaceholder() validate.Rule {
	return validate.Rule{
		ID:       "unresolved-placeholder",
		Severity: validate.Error,
		Summary:  "a built plugin.json has no placeholders left",
		Why:      "The build puts the version and the day in the place of %VERSION% and %TODAY%. What is left of them reaches the users as it stands, and the service cannot compare such a version.",
		Mend:     "build the plugin again, or write the value",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, pointer := range p.Doc.Pointers() {
				text, _ := p.Doc.Text(pointer)
				if pointer == rangePointer(p) {
					continue // dependency-range-invalid speaks of it
				}
				for from := 0; ; {
					at, name := placeholder(text[from:])
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

// placeholder finds the first %NAME% in text: three or more capital letters and
// underscores, so that percent-encoded text such as %C3%A9 is none.
func placeholder(text string) (at int, name string) {
	for at = 0; at < len(text); at++ {
		if text[at] != '%' {
			continue
		}
		word := text[at+1:]
		n := len(word) - len(strings.TrimLeft(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
		if n >= 3 && strings.HasPrefix(word[n:], "%") {
			return at, text[at : at+n+2]
		}
	}
	return 0, ""
}
