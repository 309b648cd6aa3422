package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func sourcemapInvalid(p *validate.Pass) {
	for _, name := range filesNamed(p, p.FS, p.Dir, inspect.ModuleFile+".map") {
		if _, err := inspect.ReadSourceMap(p.FS, name); err != nil {
			p.Reportf(validate.Place{File: name}, "%v", err)
		}
	}
}
