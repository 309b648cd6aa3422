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
					if s.Is(i, "extends") && s.Is(i+1, "DataSourceWithBackend") {
						reportMember(p, s, classBody(s, i))
					}
				}
			}, "testDatasource")
		},
	}
}

// classBody returns the index of the brace that opens the class which extends another.
func classBody(s *inspect.Script, extends int) int {
	i := extends
	for depth := 0; i < len(s.Tokens); i++ {
		switch { // the type arguments may contain braces
		case s.Is(i, "<"):
			depth++
		case s.Is(i, ">"):
			depth--
		case s.Is(i, "{") && depth == 0:
			return i
		case s.Tokens[i].Pair > i:
			i = s.Tokens[i].Pair
		}
	}
	return i
}

// reportMember reports testDatasource as a member of a class.
func reportMember(p *validate.Pass, s *inspect.Script, body int) {
	if body >= len(s.Tokens) {
		return
	}
	for i := body + 1; i < s.Tokens[body].Pair; i = max(i, s.Tokens[i].Pair) + 1 {
		if s.Is(i, "testDatasource") && !s.Is(i-1, ".", "?.") && s.Is(i+1, "(", "=") {
			p.Reportf(s.At(p, i, i), "testDatasource replaces the health check of the backend")
		}
	}
}
