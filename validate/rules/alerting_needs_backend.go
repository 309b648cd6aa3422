package rules

import "github.com/slipway-dev/slipway/validate"

const alertingNeedsBackendID = "alerting-needs-backend"

func alertingNeedsBackend(p *validate.Pass) {
	kind := p.Doc.Kind("/backend")
	if !p.Doc.Bool("/alerting") || p.Doc.Bool("/backend") || kind != "" && kind != "boolean" {
		return
	}
	f := validate.Finding{Place: p.Key("/alerting"), Message: `"alerting" is true, but the plugin has no backend`}
	if kind != "" {
		f.Related = []validate.Related{{Place: p.Value("/backend"), Message: `"backend" is false here`}}
	}
	p.Report(f)
}
