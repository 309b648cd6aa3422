package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathCase() validate.Rule {
	return validate.Rule{
		ID:      "path-case",
		Summary: "path in the wrong case",
		Why:     "Windows and macOS find img/logo.svg under the name img/Logo.svg. Linux, on which most hosts run, does not.",
		Help:    "write the path exactly as it is on disk, including the case",
		Check: func(p *validate.Pass) {
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
		},
	}
}
