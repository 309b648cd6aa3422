package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func sourcemapInvalid() validate.Rule {
	return validate.Rule{
		ID:          "sourcemap-invalid",
		Summary:     "source map without its sources",
		Why:         "The catalog compares the sources in the map of module.js with the repository, so the map must contain their names and text.",
		Help:        "configure the frontend build to write the sources into the map",
		Where:       validate.Dist | validate.Zip,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			for _, name := range filesNamed(p, p.FS, p.Dir, inspect.ModuleFile+".map") {
				if _, err := inspect.ReadSourceMap(p.FS, name); err != nil {
					p.Reportf(validate.Place{File: name}, "%v", err)
				}
			}
		},
	}
}
