package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// licenseBlank matches what the templates of licenses leave for the author to fill in. The text of the
// Apache license has its own, in brackets, which belong to it.
var licenseBlank = regexp.MustCompile(`\{yyyy\}|\{name of copyright owner\}`)

func licenseTemplate(p *validate.Pass) {
	text, _ := inspect.FindText(p, bundle.LicenseNames()...)
	if text == nil {
		return // license-missing reports it
	}
	if m := licenseBlank.FindIndex(text.Data); m != nil {
		p.Reportf(inspect.PlaceIn(p, text.File, text.Data, m[0], m[1]), "%q is a blank of the license's template", text.Data[m[0]:m[1]])
	}
}
