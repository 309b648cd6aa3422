package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func accessOldReactInternals(p *validate.Pass) {
	const internals = "__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED"
	inspect.EachScript(p, func(s *inspect.Script) {
		for i := range s.Tokens {
			if strings.Trim(s.Text(i), "'\"") == internals {
				p.Reportf(s.At(p, i, i), "%s is internal to React, and gone in React 19", internals)
			}
		}
	}, internals)
}
