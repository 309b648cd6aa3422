package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pathAbsolute() validate.Rule {
	return validate.Rule{
		ID:      "path-absolute",
		Summary: "absolute path, URL, or path with backslashes",
		Why: "A plugin is installed in an unknown directory, on any system, often without internet access. Only a relative path " +
			"leads to the same file everywhere.",
		Help: "put the file in the plugin and write its path relative to plugin.json, such as img/logo.svg",
		Check: func(p *validate.Pass) {
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
		},
	}
}
