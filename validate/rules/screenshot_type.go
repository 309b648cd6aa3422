package rules

import "github.com/slipway-dev/slipway/validate"

func screenshotType() validate.Rule {
	return validate.Rule{
		ID:       "screenshot-type",
		Severity: validate.Error,
		Summary:  "screenshots are images that browsers show",
		Why:      "A file of any other kind shows as a broken image to everyone who looks at the plugin.",
		Help:     "save the picture as PNG, JPEG, GIF, WebP or SVG",
		Check: func(p *validate.Pass) {
			for _, i := range images(p) {
				switch {
				case i.isLogo:
				case i.err != nil:
					p.Skipf("%s was not read: %v", i.text, i.err)
				case i.kind == "":
					p.Reportf(p.Value(i.pointer), "the screenshot %q is %s", i.text, i.describe())
				}
			}
		},
	}
}
