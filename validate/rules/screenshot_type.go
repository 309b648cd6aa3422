package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func screenshotType() validate.Rule {
	return validate.Rule{
		ID:       "screenshot-type",
		Severity: validate.Error,
		Summary:  "screenshot in an unsupported format",
		Why:      "Browsers show a file in an unsupported format as a broken image.",
		Help:     "save the screenshot as PNG, JPEG, GIF, WebP or SVG",
		Check: func(p *validate.Pass) {
			for _, i := range inspect.Images.Of(p) {
				switch {
				case i.IsLogo:
				case i.Err != nil:
					p.Skipf("cannot read %s: %v", i.Text, i.Err)
				case i.Kind == "":
					p.Reportf(p.Value(i.Pointer), "screenshot %q is %s", i.Text, i.Describe())
				}
			}
		},
	}
}
