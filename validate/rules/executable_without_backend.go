package rules

import (
	"github.com/slipway-dev/slipway/validate"
)

func executableWithoutBackend(p *validate.Pass) {
	kind := p.Doc.Kind("/backend")
	name, _ := p.Doc.Text("/executable")
	of, _ := p.Doc.Text("/type")
	startsAlways := of == "renderer" || of == "secretsmanager"
	if name == "" || p.Doc.Bool("/backend") || kind != "" && kind != "boolean" || startsAlways {
		return
	}
	f := validate.Finding{Place: p.Key("/executable"), Message: `"executable" is set, but the plugin has no backend`}
	if kind != "" {
		f.Related = []validate.Related{{Place: p.Value("/backend"), Message: `"backend" is false here`}}
	}
	p.Report(f)
}
