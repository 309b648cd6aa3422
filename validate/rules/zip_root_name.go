package rules

import (
	"bytes"
	"io"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/archive"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func zipRootName() validate.Rule {
	return validate.Rule{
		ID:        "zip-root-name",
		Severity:  validate.Error,
		Summary:   "zip directory that is not named after the plugin's id",
		Why:       "The directory in the zip becomes the plugin's directory. With another name it does not replace an earlier version, and two plugins may end up in one directory.",
		Help:      "rename the directory to the id and package again",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			file := zipPluginFile(p.Archive)
			if file == "" {
				return // zip-root reports it
			}
			if id, dir := zipPluginID(p.Archive, file), path.Dir(file); id != "" && id != dir {
				p.Reportf(p.Whole(), "directory %.200q in the zip must be named after the plugin's id, %.200q", dir, id)
			}
		},
	}
}

// zipPluginID returns the id in plugin.json, or "" if it cannot be read.
func zipPluginID(a *archive.Archive, file string) string {
	f, err := a.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 256 << 10
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	doc, _ := bundle.ParseDocument(file, bytes.TrimPrefix(data, []byte(inspect.BOM))) // json-syntax reports the error
	if doc == nil {
		return ""
	}
	id, _ := doc.Text("/id")
	return id
}
