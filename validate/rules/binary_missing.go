package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func binaryMissing() validate.Rule {
	return validate.Rule{
		ID:       "binary-missing",
		Severity: validate.Error,
		Summary:  "a built plugin with a backend has an executable for at least one platform",
		Why:      "The service looks for <executable>_<os>_<arch> beside plugin.json. Where it is not there, the backend does not start.",
		Help:     "build the backend, or correct \"executable\"",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			b := binariesOf(p)
			if b.name == "" || len(b.matches) > 0 || len(b.others) > 0 && p.Runs("binary-name") {
				return
			}
			example := bundle.Host().Executable(b.name)
			if b.err != nil {
				p.Reportf(p.Value(executablePointer), "the folder of the executable %q cannot be read: %v", b.name, b.err)
				return
			}
			p.Report(validate.Finding{
				Place:   p.Value(executablePointer),
				Message: fmt.Sprintf("there is no file %s, nor one for any other platform", example),
			})
		},
	}
}
