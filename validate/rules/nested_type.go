package rules

import (
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nestedType(p *validate.Pass) {
	kind, _ := p.Doc.Text("/type")
	if !p.IsNested || !slices.Contains(bundle.Types(), bundle.Type(kind)) {
		return
	}
	outer := inspect.Document(p, p.Root, path.Join(p.Root, bundle.MetadataFile))
	if outer == nil {
		return
	}
	outerKind, _ := outer.Text("/type")
	related := []validate.Related{{Place: inspect.ValueIn(p, outer, "/type"), Message: "the type of the outer plugin is set here"}}
	switch {
	case kind != "panel" && kind != "datasource":
		p.Report(validate.Finding{
			Place:   p.Value("/type"),
			Message: "a plugin of type " + kind + " cannot be nested in another plugin",
			Related: related,
		})
	case outerKind != "app" && slices.Contains(bundle.Types(), bundle.Type(outerKind)):
		p.Report(validate.Finding{
			Severity: outerType.in(p),
			Place:    p.Value("/type"),
			Message:  "a plugin of type " + outerKind + " cannot contain other plugins",
			Help:     "make the outer plugin an app, or ship this plugin separately",
			Related:  related,
		})
	}
}
