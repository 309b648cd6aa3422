package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathCase(p *validate.Pass) {
	for _, a := range inspect.Assets.Of(p) {
		if a.Verdict == inspect.PathOtherCase {
			p.Report(validate.Finding{
				Place:   p.Value(a.Pointer),
				Message: fmt.Sprintf("path %q does not exist, but %q does", a.Text, a.Meant),
				Help:    fmt.Sprintf("write %q, or rename the file", a.Meant),
				Fix:     writeText(p, a.Pointer, a.Meant),
			})
		}
	}
}
