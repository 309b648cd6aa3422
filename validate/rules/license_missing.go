package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func licenseMissing() validate.Rule {
	return validate.Rule{
		ID:       "license-missing",
		Severity: validate.Warning,
		Catalog:  validate.Error,
		Summary:  "missing or empty license",
		Why:      "Without a license, nobody may use or redistribute the plugin, and catalogs do not accept it.",
		Help:     "put the license text in LICENSE next to plugin.json or src",
		Check: func(p *validate.Pass) {
			if found, _ := inspect.FindText(p, inspect.LicenseNames()...); found == nil && inspect.HasLicenseAbove(p) {
				return
			}
			needText(p, inspect.LicenseNames()...)
		},
	}
}
