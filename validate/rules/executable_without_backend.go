package rules

import (
	"github.com/slipway-dev/slipway/validate"
)

func executableWithoutBackend(p *validate.Pass) {
	kind := p.Doc.Kind("/backend")
	name, _ := p.Doc.Text("/executable")
	if name == "" || p.Doc.Bool("/backend") || kind != "" && kind != "boolean" || startsAlways(p) {
		return
	}
	f := validate.Finding{Place: p.Key("/executable"), Message: `"executable" is set, but the plugin has no backend`}
	if kind != "" {
		f.Related = []validate.Related{{Place: p.Value("/backend"), Message: `"backend" is false here`}}
	}
	p.Report(f)
}

// startsAlways reports whether plugins of this type consist only of a backend.
func startsAlways(p *validate.Pass) bool {
	kind, _ := p.Doc.Text("/type")
	return kind == "renderer" || kind == "secretsmanager"
}
