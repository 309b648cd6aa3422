package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func logoNotSVG() validate.Rule {
	return validate.Rule{
		ID:      "logo-not-svg",
		Summary: "logo in a format other than SVG",
		Why: "Logos are shown in many sizes. A bitmap is blurred in some of them, and the contract requires SVG. Existing hosts " +
			"and the catalog accept bitmaps, so the finding is an info in the grafana profile.",
		Help: "save the logo as SVG and use that file",
		Check: func(p *validate.Pass) {
			for _, i := range inspect.Images.Of(p) {
				switch {
				case !i.IsLogo:
				case i.Err != nil:
					p.Skipf("cannot read %s: %v", i.Text, i.Err)
				case i.Kind != "svg" && p.Profile.IsLenient && i.Kind != "":
					p.Report(validate.Finding{
						Severity: bitmapLogo.in(p),
						Place:    p.Value(i.Pointer),
						Message:  fmt.Sprintf("logo %q is %s; SVG is sharp in every size", i.Text, i.Describe()),
					})
				case i.Kind != "svg":
					p.Reportf(p.Value(i.Pointer), "logo %q is %s; it must be SVG", i.Text, i.Describe())
				}
			}
		},
	}
}
