package rules

import (
	"path"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func nestedType() validate.Rule {
	return validate.Rule{
		ID:       "nested-type",
		Severity: validate.Error,
		Summary:  "a plugin in another one is a data source or a panel, and that in which it lies is an app",
		Why:      "An app brings data sources and panels along. Apps, renderers and secrets managers are installed on their own; in another plugin they are not found.",
		Help:     "ship it as a plugin of its own",
		Check: func(p *validate.Pass) {
			kind, _ := p.Doc.Text("/type")
			if !isNested(p) || !slices.Contains(bundle.Types(), bundle.Type(kind)) {
				return
			}
			outer := readDocument(p, path.Join(p.Root, bundle.MetadataFile))
			if outer == nil {
				return
			}
			around := sibling{file: path.Join(p.Root, bundle.MetadataFile), doc: outer}
			outerKind, _ := outer.Text("/type")
			related := []validate.Related{{Place: around.in(p, "/type"), Message: "the type of the plugin around it is here"}}
			switch {
			case kind != "panel" && kind != "datasource":
				p.Report(validate.Finding{
					Place:   p.Value("/type"),
					Message: "a plugin of type " + kind + " cannot lie in another plugin",
					Related: related,
				})
			case outerKind != "app" && slices.Contains(bundle.Types(), bundle.Type(outerKind)):
				p.Report(validate.Finding{
					Severity: validate.Warning,
					Place:    p.Value("/type"),
					Message:  "this plugin lies in one of type " + outerKind + ", but only apps bring others along",
					Help:     "make the plugin around it an app, or ship this one on its own",
					Related:  related,
				})
			}
		},
	}
}
