package rules

import (
	"bytes"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func jsonBOM() validate.Rule {
	return validate.Rule{
		ID:       "json-bom",
		Severity: validate.Error,
		Summary:  "plugin.json is UTF-8 and does not begin with a byte order mark",
		Why:      "JSON is UTF-8 and begins with its first value. The service stops at the mark and does not load the plugin.",
		Mend:     "save the file as UTF-8 without a byte order mark",
		IsRaw:    true,
		Check: func(p *validate.Pass) {
			at := p.At("", bundle.Span{Start: bundle.Position{Line: 1, Column: 1}, End: bundle.Position{Line: 1, Column: 1}})
			switch {
			case validate.IsUTF16(p.Data):
				p.Reportf(at, "the file is UTF-16, not UTF-8")
			case bytes.HasPrefix(p.Data, []byte("\uFEFF")):
				p.Reportf(at, "the file begins with a byte order mark, three bytes that editors do not show")
			}
		},
	}
}
