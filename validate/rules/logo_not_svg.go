package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func logoNotSVG(p *validate.Pass) {
	for _, i := range inspect.Images.Of(p) {
		switch {
		case !i.IsLogo:
		case i.Err != nil:
			p.Skipf("cannot read %s: %v", i.Text, i.Err)
		case i.Kind != "svg" && p.Profile.IsLenient && i.Kind != "":
			bitmapLogo.reportf(p, p.Value(i.Pointer), "logo %q is %s; SVG is sharp in every size", i.Text, i.Describe())
		case i.Kind != "svg":
			p.Reportf(p.Value(i.Pointer), "logo %q is %s; it must be SVG", i.Text, i.Describe())
		}
	}
}
