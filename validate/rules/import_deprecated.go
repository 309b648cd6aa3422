package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func importDeprecated() validate.Rule {
	return validate.Rule{
		ID:      "import-deprecated",
		Summary: "frontend that imports what the host's libraries deprecate",
		Why:     "A later version removes it, and the plugin then fails in hosts of that version.",
		Help:    "replace it, if all versions in the range have the replacement",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			for _, use := range inspect.SharedImports.Of(p) {
				m, _ := shared.Find(use.Module)
				name, _ := m.Name(use.Name)
				if name.Deprecated&use.Range.Admitted == 0 || name.Deprecated.Newest() < name.Values.Newest() {
					continue // not yet, or no longer
				}
				message := fmt.Sprintf("%s of %s is deprecated in %s", use.Name, use.Module, versions(name.Deprecated))
				if name.Advice != "" {
					message += ": " + name.Advice
				}
				p.Reportf(use.Place(), "%s", message)
			}
		},
	}
}
