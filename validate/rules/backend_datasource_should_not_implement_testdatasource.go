package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func backendDatasourceShouldNotImplementTestdatasource() validate.Rule {
	return validate.Rule{
		ID:      "backend-datasource-should-not-implement-testdatasource",
		Summary: "testDatasource in a data source with a backend",
		Why: "The host asks such a data source's backend for its health. The method replaces that check on the page of the settings, but " +
			"not for anything else.",
		Help:  "delete the method, and check the health in the backend",
		Where: validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for i := range s.Tokens {
					if !s.Is(i, "extends") || !s.Is(i+1, "DataSourceWithBackend") {
						continue
					}
					for name, at := range s.MembersOf(i) {
						if name == "testDatasource" {
							p.Reportf(s.At(p, at, at), "testDatasource replaces the health check of the backend")
						}
					}
				}
			}, "testDatasource")
		},
	}
}
