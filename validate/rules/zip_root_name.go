package rules

import (
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func zipRootName(p *validate.Pass) {
	file := zipPluginFile(p.Archive)
	if file == "" {
		return // zip-root reports it
	}
	doc := inspect.Document(p, ".", file)
	if doc == nil {
		return // json-syntax reports it
	}
	if id, _ := doc.Text("/id"); id != "" && id != path.Dir(file) {
		p.Reportf(p.Whole(), "directory %.200q in the zip must be named after the plugin's id, %.200q", path.Dir(file), id)
	}
}
