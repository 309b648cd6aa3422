package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func sponsorLink() validate.Rule {
	return validate.Rule{
		ID:          "sponsor-link",
		Summary:     "plugin without a sponsor link",
		Why:         `The catalog shows a link whose name contains "sponsor" to users who want to support the plugin. It is optional.`,
		Help:        `add { "name": "Sponsor", "url": ... } to "info.links" if you accept sponsors`,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			for _, item := range p.Doc.Items("/info/links") {
				if name, _ := p.Doc.Text(item + "/name"); strings.Contains(strings.ToLower(name), "sponsor") {
					return
				}
			}
			p.Reportf(p.Opening("/info"), `"info.links" has no sponsor link`)
		},
	}
}
