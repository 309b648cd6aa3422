package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathDot() validate.Rule {
	return validate.Rule{
		ID:      "path-dot",
		Summary: "path of an image that begins with a dot",
		Why: `The catalog refuses paths of logos and screenshots that begin with "./" or "../". Hosts accept them, so paths that begin ` +
			`with "../", which nested plugins use, are reported only in the preset catalog.`,
		Help: "write the path from the directory of plugin.json, and copy the file there if it is not below",
		Check: func(p *validate.Pass) {
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
		},
	}
}
