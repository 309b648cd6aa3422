package rules

import (
	"fmt"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func frontendMissing(p *validate.Pass) {
	entries := []string{"module.ts", "module.tsx", "module.js", "module.jsx"}
	// Without package.json, there may be no frontend to build.
	homes, _ := inspect.Homes(p)
	hasPackage := func(dir string) bool { return inspect.Exists(p, path.Join(dir, "package.json")) }
	if !slices.ContainsFunc(homes, hasPackage) {
		return
	}
	kind, _ := p.Doc.Text("/type")
	isApp := bundle.Type(kind) == bundle.TypeApp // which may consist of nested plugins
	if !bundle.Type(kind).HasFrontend() || isApp && len(inspect.Nested(p)) > 0 {
		return
	}
	exists := func(name string) bool { return inspect.Exists(p, path.Join(p.Dir, name)) }
	if slices.ContainsFunc(entries, exists) {
		return
	}
	f := validate.Finding{Place: p.Value("/type"),
		Message: fmt.Sprintf("no module.ts or other frontend next to plugin.json; a plugin of type %s requires one", kind)}
	for _, name := range entries {
		if exists("src/" + name) {
			f.Help = "move plugin.json to src, next to " + name
		} else if other := inspect.Spelling(p, path.Join(p.Dir, name)); other != "" {
			f.Help = "rename " + path.Base(other) + " to " + name
		}
	}
	p.Report(f)
}
