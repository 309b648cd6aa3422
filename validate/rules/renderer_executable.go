package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func rendererExecutable() validate.Rule {
	return validate.Rule{
		ID:      "renderer-executable",
		Summary: "renderer or secrets manager that existing hosts cannot start",
		Why: `Existing hosts ignore "executable" in a renderer: they start the file plugin_start_<os>_<arch>, and exit without it. For a ` +
			"secrets manager, they start secrets_plugin_start_<os>_<arch>. The finding is for plugins that have the dependency key of these hosts.",
		Help:   "write the name that they start, and build the plugin again",
		Aspect: "plugin.json",
		Check: func(p *validate.Pass) {
			const at = "/executable"
			kind, _ := p.Doc.Text("/type")
			name, ok := p.Doc.Text(at)
			key := bundle.Published().DependencyKey
			started := map[bundle.Type]string{
				bundle.TypeRenderer:       bundle.RendererExecutable,
				bundle.TypeSecretsManager: bundle.SecretsManagerExecutable,
			}[bundle.Type(kind)]
			if started == "" || !ok || name == started || !p.Doc.Has("/dependencies/"+key) {
				return
			}
			p.Report(validate.Finding{
				Place:   p.Value(at),
				Message: fmt.Sprintf("existing hosts do not start %.100q, but %s", name, started),
				Related: []validate.Related{{Place: p.Key("/dependencies/" + key), Message: "the plugin is for existing hosts"}},
				Fix:     writeText(p, at, started),
			})
		},
	}
}
