package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func jsonDuplicateKey() validate.Rule {
	return validate.Rule{
		ID:       "json-duplicate-key",
		Severity: validate.Error,
		Summary:  "no object has the same key twice",
		Why:      "Of two equal keys only the last counts, without a word. What the first one says is lost.",
		Mend:     "keep one of the two",
		Check: func(p *validate.Pass) {
			for _, d := range p.Doc.Duplicates() {
				p.Report(validate.Finding{
					Place:   p.At(d.Pointer, d.Again),
					Message: fmt.Sprintf("%q comes again in the same object; the service reads only the last one", d.Key),
					Related: []validate.Related{{Place: p.At(d.Pointer, d.First), Message: "the first one is here"}},
				})
			}
		},
	}
}
