package rules

import (
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// moduleFile is what the web application loads of a plugin.
const moduleFile = "module.js"

func moduleJSMissing() validate.Rule {
	return validate.Rule{
		ID:       "module-js-missing",
		Severity: validate.Error,
		Summary:  "a built app, data source or panel has its module.js",
		Why:      "The web application loads module.js when the plugin is used. Without it people see an error in its place.",
		Help:     "build the frontend; its output must be called module.js and lie beside plugin.json",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			kind, _ := p.Doc.Text("/type")
			if !slices.Contains(bundle.Types(), bundle.Type(kind)) || startsAlways(p) {
				return
			}
			name := path.Join(p.Dir, moduleFile)
			f, err := openFile(p, p.Root, name)
			if err != nil {
				p.Reportf(p.Value("/type"), "there is no module.js beside plugin.json, which every plugin of type %s needs", kind)
				return
			}
			defer f.Close()
			if info, err := f.Stat(); err == nil && info.Size() == 0 {
				p.Reportf(validate.Place{File: name}, "module.js is empty")
			}
		},
	}
}
