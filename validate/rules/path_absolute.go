package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func pathAbsolute() validate.Rule {
	return validate.Rule{
		ID:       "path-absolute",
		Severity: validate.Error,
		Summary:  "paths are relative and written with /",
		Why:      "A plugin is installed in a folder that its author does not know, on any system, often without a way to the internet. Only a relative path leads to the same file everywhere.",
		Help:     "put the file into the plugin and write its path from the folder of plugin.json, such as img/logo.svg",
		Check: func(p *validate.Pass) {
			for _, a := range assets(p) {
				if a.verdict != pathIsAbsolute {
					continue
				}
				f := validate.Finding{Place: p.Value(a.pointer), Message: fmt.Sprintf("the path %q %s", a.text, a.detail)}
				if a.meant != "" {
					f.Help = fmt.Sprintf("write %q", a.meant)
					f.Fix = writePath(p, a)
				}
				p.Report(f)
			}
		},
	}
}

// writePath is the fix that writes a path as it is meant.
func writePath(p *validate.Pass, a asset) *validate.Fix {
	return &validate.Fix{Title: fmt.Sprintf("write %q", a.meant), Edits: []validate.Edit{p.Replace(a.pointer, a.meant)}}
}
