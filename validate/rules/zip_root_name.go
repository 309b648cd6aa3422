package rules

import (
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func zipRootName() validate.Rule {
	return validate.Rule{
		ID:      "zip-root-name",
		Summary: "zip directory that is not named after the plugin's id",
		Why: "The directory in the zip becomes the plugin's directory. With another name it does not replace an earlier version, " +
			"and two plugins may end up in one directory.",
		Help:      "rename the directory to the id and package again",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
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
		},
	}
}
