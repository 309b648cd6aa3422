package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func noAPIDSQueryEndpoint() validate.Rule {
	return validate.Rule{
		ID:      "no-api-ds-query-endpoint",
		Summary: "frontend that calls the endpoint of queries itself",
		Why:     "The endpoint is internal: its paths and bodies change. Such a request lacks what the host adds, such as the time range and caching.",
		Help:    "call query on what getDataSourceSrv of @grafana/runtime returns",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachScript(p, func(s *inspect.Script) {
				for at := range s.MatchStrings(queryEndpoint) {
					p.Reportf(s.Place(p, at), "/api/ds/query is internal to the host")
				}
			}, "api/ds/query")
		},
	}
}

// queryEndpoint matches the path in an address, which has no spaces before it.
var queryEndpoint = regexp.MustCompile(`^\S*?(/?\bapi/ds/query)(?:[?/#&'"]|$)`)
