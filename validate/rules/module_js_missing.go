package rules

import (
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func moduleJSMissing(p *validate.Pass) {
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
}
