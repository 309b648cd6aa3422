package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func backendNeedsExecutable(p *validate.Pass) {
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
}
