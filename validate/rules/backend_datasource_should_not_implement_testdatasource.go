package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func backendDatasourceShouldNotImplementTestdatasource(p *validate.Pass) {
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
}
