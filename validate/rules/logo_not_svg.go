package rules

import "github.com/slipway-dev/slipway/validate"

func logoNotSVG() validate.Rule {
	return validate.Rule{
		ID:       "logo-not-svg",
		Severity: validate.Warning,
		Summary:  "logos are SVG images",
		Why:      "Logos are shown in many sizes. A picture made of pixels is blurred in some of them, and the contract asks for SVG.",
		Help:     "draw the logo as SVG and name that file",
		Check: func(p *validate.Pass) {
			for _, i := range images(p) {
				switch {
				case !i.isLogo:
				case i.err != nil:
					p.Skipf("%s was not read: %v", i.text, i.err)
				case i.kind != "svg":
					what := i.describe()
					if i.kind != "" {
						what += ", not SVG"
					}
					p.Reportf(p.Value(i.pointer), "the logo %q is %s", i.text, what)
				}
			}
		},
	}
}
