package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryMissing() validate.Rule {
	return validate.Rule{
		ID:      "binary-missing",
		Summary: "built plugin with a backend but no executable",
		Why:     "The host looks for <executable>_<os>_<arch> next to plugin.json. Without it, the backend does not start.",
		Help:    `build the backend, or correct "executable"`,
		Where:   validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			b := inspect.Executables.Of(p)
			if b.Name == "" || len(b.Matches) > 0 || len(b.Others) > 0 && p.Runs(binaryNameID) {
				return
			}
			example := bundle.Host().Executable(b.Name)
			if b.Err != nil {
				p.Reportf(p.Value("/executable"), "cannot list the directory of the executable %q: %v", b.Name, b.Err)
				return
			}
			p.Report(validate.Finding{
				Place:   p.Value("/executable"),
				Message: fmt.Sprintf("no executable %s, and none for another platform", example),
			})
		},
	}
}
