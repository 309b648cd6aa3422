package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func pathCase() validate.Rule {
	return validate.Rule{
		ID:       "path-case",
		Severity: validate.Error,
		Summary:  "paths are written in the case that the files have",
		Why:      "Windows and macOS find img/Logo.svg when img/logo.svg is asked for. Linux, on which most services run, does not.",
		Help:     "write the path as the file is named",
		Check: func(p *validate.Pass) {
			for _, a := range assets(p) {
				if a.verdict == pathHasOtherCase {
					p.Report(validate.Finding{
						Place:   p.Value(a.pointer),
						Message: fmt.Sprintf("the path %q leads to no file, but there is %q", a.text, a.meant),
						Help:    fmt.Sprintf("write %q, or rename the file", a.meant),
						Fix:     writePath(p, a),
					})
				}
			}
		},
	}
}
