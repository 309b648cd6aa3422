package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func backendNeedsExecutable() validate.Rule {
	return validate.Rule{
		ID:      "backend-needs-executable",
		Summary: `"backend" without "executable"`,
		Why:     `The host starts the file whose name begins with the value of "executable". Without that key, it has nothing to start.`,
		Help:    `set "executable" to the name of the file without _<os>_<arch>, such as "gpx_clock"`,
		Check: func(p *validate.Pass) {
			name, isText := p.Doc.Text("/executable")
			if !p.Doc.Bool("/backend") || inspect.IsPartOfService(p) {
				return
			}
			switch {
			case !p.Doc.Has("/executable"):
				p.Reportf(p.Key("/backend"), `"backend" is true, but "executable" is missing`)
			case isText && strings.TrimSpace(name) == "":
				p.Reportf(p.Value("/executable"), `"backend" is true, but "executable" is empty`)
			case isText && strings.HasSuffix(name, "/"):
				p.Reportf(p.Value("/executable"), `"executable" is a directory; it must be the beginning of a file name`)
			}
		},
	}
}
