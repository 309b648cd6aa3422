package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func backendNeedsExecutable() validate.Rule {
	return validate.Rule{
		ID:       "backend-needs-executable",
		Severity: validate.Error,
		Summary:  "a plugin with a backend names its executable",
		Why:      "The service starts the file whose name begins with \"executable\". Without it there is nothing to start.",
		Help:     "add \"executable\", such as \"gpx_clock\": the name of the file without _<os>_<arch>",
		Check: func(p *validate.Pass) {
			name, isText := p.Doc.Text(executablePointer)
			if !p.Doc.Bool("/backend") || isPartOfService(p) {
				return
			}
			switch {
			case !p.Doc.Has(executablePointer):
				p.Reportf(p.Key("/backend"), "\"backend\" is true, but there is no \"executable\"")
			case isText && strings.TrimSpace(name) == "":
				p.Reportf(p.Value(executablePointer), "\"executable\" is empty, but \"backend\" is true")
			case isText && strings.HasSuffix(name, "/"):
				p.Reportf(p.Value(executablePointer), "\"executable\" is a folder; it must be the first part of the name of a file")
			}
		},
	}
}
