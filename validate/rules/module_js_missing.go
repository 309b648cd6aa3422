package rules

import (
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func moduleJSMissing() validate.Rule {
	return validate.Rule{
		ID:      "module-js-missing",
		Summary: "missing or empty module.js",
		Why: "The web application loads module.js to show the plugin. Without it, users see an error instead. An app without pages that only has " +
			"nested plugins needs none, except for the preset catalog.",
		Help:  "build the frontend; the build must write module.js next to plugin.json",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			kind, _ := p.Doc.Text("/type")
			if !bundle.Type(kind).HasFrontend() {
				return
			}
			m, err := bundle.ParseMetadata(p.Doc.Data)
			if err == nil && moduleOfGroup.isOff(p) && !m.NeedsFrontend(len(inspect.Nested(p)) > 0) {
				return
			}
			name := path.Join(p.Dir, inspect.ModuleFile)
			f, err := inspect.OpenFile(p, p.Root, name)
			if err != nil {
				p.Reportf(p.Value("/type"), "no module.js next to plugin.json; a plugin of type %s requires one", kind)
				return
			}
			defer f.Close()
			if info, err := f.Stat(); err == nil && info.Size() == 0 {
				p.Reportf(validate.Place{File: name}, "module.js is empty")
			}
		},
	}
}
