package rules

import (
	"bytes"
	"io"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/archive"
)

func zipRootName() validate.Rule {
	return validate.Rule{
		ID:        "zip-root-name",
		Severity:  validate.Error,
		Summary:   "the folder in a zip is named by the id of the plugin",
		Why:       "The folder becomes the folder of the plugin. By another name it does not replace an older version, and two plugins can end up in one folder.",
		Help:      "rename the folder to the id and pack again",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			file := zipPluginFile(p.Archive)
			if file == "" {
				return // zip-root says so
			}
			if id, folder := zipPluginID(p.Archive, file), path.Dir(file); id != "" && id != folder {
				p.Reportf(p.Whole(), "the folder %.200q of the zip is not named by the id of the plugin, %.200q", folder, id)
			}
		},
	}
}

// zipPluginID returns the id that plugin.json says, "" if it cannot be read.
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
	doc, _ := bundle.ParseDocument(file, bytes.TrimPrefix(data, []byte(byteOrderMark))) // json-syntax has the faults
	if doc == nil {
		return ""
	}
	id, _ := doc.Text("/id")
	return id
}
