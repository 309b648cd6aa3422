package rules

import (
	"path"
	"slices"

	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

const grafanaSDK = "github.com/grafana/grafana-plugin-sdk-go"

func goSDK(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok || !inspect.HasBackend(p) {
		return
	}
	const maxBytes = 1 << 20
	data, err := r.Read("go.mod", maxBytes)
	for dir := r.Dir; err != nil && dir != "."; { // of a repository of several plugins
		dir = path.Dir(dir)
		r.Dir = dir
		data, err = r.Read("go.mod", maxBytes)
	}
	if err != nil {
		p.Reportf(p.Opening("/backend"), "the plugin has a backend, but its repository has no go.mod")
		return
	}
	at := r.Place(p, "go.mod")
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		p.Reportf(at, "go.mod cannot be parsed: %v", err)
		return
	}
	if !slices.ContainsFunc(mod.Require, func(m *modfile.Require) bool { return m.Mod.Path == grafanaSDK }) {
		p.Reportf(at, "go.mod does not require Grafana's SDK")
	}
	for _, m := range mod.Replace {
		if m.Old.Path == grafanaSDK && m.New.Path != grafanaSDK {
			at.Line, at.Column = m.Syntax.Start.Line, m.Syntax.Start.LineRune
			at.EndLine, at.EndColumn = m.Syntax.End.Line, m.Syntax.End.LineRune
			if at.File == p.File {
				at = p.Whole()
			} else {
				p.Source(at.File, data)
			}
			p.Reportf(at, "go.mod replaces Grafana's SDK by %s", m.New.Path)
		}
	}
}
