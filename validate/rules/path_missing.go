package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathMissing(p *validate.Pass) {
	for _, a := range inspect.Assets.Of(p) {
		if a.Verdict != inspect.PathMissing {
			continue
		}
		f := validate.Finding{Place: p.Value(a.Pointer), Message: fmt.Sprintf("path %q %s", a.Text, a.Problem)}
		file := path.Join(p.Dir, a.Text)
		if a.Text != "" && !inspect.Exists(p, file) && inspect.MayBeBuilt(p, file) {
			f.Severity, f.Built = buildCreates.in(p), tree.Below(p.Root, file)
			f.Message += " in the source, so the build of the repository must create it"
		}
		p.Report(f)
	}
}
