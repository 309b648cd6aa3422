package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathMissing() validate.Rule {
	return validate.Rule{
		ID:      "path-missing",
		Summary: "path to a missing file",
		Why: "A missing logo, screenshot or dashboard appears as a broken image or an error. In a source tree whose repository has " +
			"its own build, which may create the file, the finding is a warning.",
		Help: "add the file, or correct the path, which is relative to plugin.json",
		Check: func(p *validate.Pass) {
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
		},
	}
}
