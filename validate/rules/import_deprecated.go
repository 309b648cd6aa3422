package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func importDeprecated(p *validate.Pass) {
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
}
