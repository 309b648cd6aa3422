package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessOldReactInternals() validate.Rule {
	return validate.Rule{
		ID:      "access-old-react-internals",
		Summary: "frontend that uses internals of React",
		Why:     "React 19 has no such property, so the plugin fails in every host that has it.",
		Help:    "use the public API of React, or a version of the library that does",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			const internals = "__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED"
			inspect.EachScript(p, func(s *inspect.Script) {
				for i := range s.Tokens {
					if strings.Trim(s.Text(i), "'\"") == internals {
						p.Reportf(s.At(p, i, i), "%s is internal to React, and gone in React 19", internals)
					}
				}
			}, internals)
		},
	}
}
