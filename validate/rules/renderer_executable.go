package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func rendererExecutable() validate.Rule {
	return validate.Rule{
		ID:       "renderer-executable",
		Severity: validate.Error,
		Summary:  "renderer that existing hosts cannot start",
		Why: `Existing hosts ignore "executable" in a renderer: they start the file plugin_start_<os>_<arch>, and exit without it. ` +
			"The finding is for plugins that have the dependency key of these hosts.",
		Help: `write "executable": "plugin_start", and build the plugin again`,
		Check: func(p *validate.Pass) {
			const at = "/executable"
			kind, _ := p.Doc.Text("/type")
			name, ok := p.Doc.Text(at)
			key := bundle.Published().DependencyKey
			if bundle.Type(kind) != bundle.TypeRenderer || !ok || name == bundle.RendererExecutable || !p.Doc.Has("/dependencies/"+key) {
				return
			}
			p.Report(validate.Finding{
				Place:   p.Value(at),
				Message: fmt.Sprintf("existing hosts do not start %.100q, but %s", name, bundle.RendererExecutable),
				Related: []validate.Related{{Place: p.Key("/dependencies/" + key), Message: "the plugin is for existing hosts"}},
				Fix:     writeText(p, at, bundle.RendererExecutable),
			})
		},
	}
}
