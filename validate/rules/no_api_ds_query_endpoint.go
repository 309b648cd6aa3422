package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func noAPIDSQueryEndpoint(p *validate.Pass) {
	inspect.EachScript(p, func(s *inspect.Script) {
		for _, at := range s.MatchStrings(queryEndpoint) {
			p.Reportf(s.Place(p, at), "/api/ds/query is internal to the host")
		}
	}, "api/ds/query")
}

// queryEndpoint matches the path in an address, which has no spaces before it.
var queryEndpoint = regexp.MustCompile(`^\S*?(/?\bapi/ds/query)(?:[?/#&'"]|$)`)
