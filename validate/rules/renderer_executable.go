package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func rendererExecutable(p *validate.Pass) {
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
}
