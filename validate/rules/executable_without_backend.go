package rules

import (
	"github.com/slipway-dev/slipway/validate"
)

func executableWithoutBackend() validate.Rule {
	return validate.Rule{
		ID:       "executable-without-backend",
		Severity: validate.Warning,
		Summary:  "a plugin that names an executable has a backend",
		Why:      "The service starts the executable only if \"backend\" is true. Otherwise it is shipped in vain.",
		Help:     "set \"backend\" to true, or delete \"executable\"",
		Check: func(p *validate.Pass) {
			kind := p.Doc.Kind("/backend")
			name, _ := p.Doc.Text(executablePointer)
			if name == "" || p.Doc.Bool("/backend") || kind != "" && kind != "boolean" || startsAlways(p) {
				return
			}
			f := validate.Finding{Place: p.Key(executablePointer), Message: "there is an \"executable\", but the plugin has no backend"}
			if kind != "" {
				f.Related = []validate.Related{{Place: p.Value("/backend"), Message: "\"backend\" is false here"}}
			}
			p.Report(f)
		},
	}
}

// startsAlways says whether the plugin is of a type that is nothing but a backend.
func startsAlways(p *validate.Pass) bool {
	kind, _ := p.Doc.Text("/type")
	return kind == "renderer" || kind == "secretsmanager"
}
