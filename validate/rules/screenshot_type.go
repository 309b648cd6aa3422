package rules

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func screenshotType(p *validate.Pass) {
	for _, i := range inspect.Images.Of(p) {
		switch {
		case i.IsLogo:
		case i.Err != nil:
			p.Skipf("cannot read %s: %v", i.Text, i.Err)
		case i.Kind == "":
			p.Reportf(p.Value(i.Pointer), "screenshot %q is %s", i.Text, i.Describe())
		case i.Kind != kindOfName(i.Text):
			otherScreenshot.reportf(p, p.Value(i.Pointer), "screenshot %q is %s, which the catalog does not accept under this name",
				i.Text, i.Describe())
		}
	}
}

// kindOfName returns the kind of image that the catalog expects under a name, or "none".
func kindOfName(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".png", ".gif", ".svg", ".jpeg":
		return ext[1:]
	case ".jpg":
		return "jpeg"
	}
	return "none"
}
