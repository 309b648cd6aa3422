package rules

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func pluginNotExported(p *validate.Pass) {
	text, _ := p.Doc.Text("/type")
	kind := bundle.Type(text)
	if !kind.HasFrontend() {
		return
	}
	constructor := map[bundle.Type]string{bundle.TypeApp: "AppPlugin", bundle.TypePanel: "PanelPlugin", bundle.TypeDatasource: "DataSourcePlugin"}[kind]
	exported, place, ok := inspect.ExportsOfEntry(p)
	if !ok || slices.ContainsFunc(kind.Exports(), func(name string) bool { return exported[name] }) {
		return
	}
	f := validate.Finding{Place: place(), Message: "the frontend does not export the plugin to hosts",
		Help: fmt.Sprintf("write export const plugin = new %s(...)", constructor)}
	if kind == bundle.TypeApp {
		f.Severity, f.Message = appNotExported.in(p), "the frontend does not export the plugin to hosts, which show an app without pages"
	}
	if exported["default"] {
		f.Message += "; they do not read the default export"
	}
	p.Report(f)
}
