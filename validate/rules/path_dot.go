package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathDot(p *validate.Pass) {
	for _, a := range inspect.Assets.Of(p) {
		isHere := strings.HasPrefix(a.Text, "./")
		if !strings.HasPrefix(a.Pointer, "/info/") || !strings.HasPrefix(a.Text, ".") || !isHere && pathAbove.isOff(p) {
			continue
		}
		f := validate.Finding{Place: p.Value(a.Pointer), Message: fmt.Sprintf("path %q begins with a dot", a.Text)}
		if isHere {
			f.Help = fmt.Sprintf("write %q", path.Clean(a.Text))
			f.Fix = writeText(p, a.Pointer, path.Clean(a.Text))
		}
		p.Report(f)
	}
}
