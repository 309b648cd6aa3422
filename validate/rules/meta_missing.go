package rules

import (
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func metaMissing(p *validate.Pass) {
	switch {
	case !p.IsMissing:
	case path.Base(p.Dir) == bundle.DistDir:
		p.Report(validate.Finding{
			Place:   p.Whole(),
			Message: "dist contains no plugin.json, and the host looks only there",
			Help:    "build the plugin, or delete dist",
		})
	default:
		for _, name := range []string{"src/" + bundle.MetadataFile, bundle.MetadataFile} {
			if other := inspect.Spelling(p, path.Join(p.Dir, name)); other != "" {
				p.Report(validate.Finding{Place: validate.Place{File: other}, Message: "the file must be called " + bundle.MetadataFile, Help: "rename it"})
				return
			}
		}
		p.Reportf(p.Whole(), "no plugin.json here or in any directory below")
	}
}
