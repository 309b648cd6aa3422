package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathAbsolute(p *validate.Pass) {
	for _, a := range inspect.Assets.Of(p) {
		if a.Verdict != inspect.PathAbsolute {
			continue
		}
		f := validate.Finding{Place: p.Value(a.Pointer), Message: fmt.Sprintf("path %q %s", a.Text, a.Problem)}
		if a.Meant != "" {
			f.Help = fmt.Sprintf("write %q", a.Meant)
			f.Fix = writeText(p, a.Pointer, a.Meant)
		}
		p.Report(f)
	}
}
