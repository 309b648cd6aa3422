package rules

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func routeOutsideRange(p *validate.Pass) {
	inspect.EachRoute(p, func(called inspect.CalledRoute) {
		d, ok := publishedIn(p, called.Range)
		for _, r := range hostRoutes() {
			if !ok || d.Admitted&^r.served == 0 || !r.path.MatchString(called.Path) {
				continue
			}
			f := validate.Finding{Place: called.Place(), Message: fmt.Sprintf("%s: existing hosts %s", called.Path, r.what), Help: r.help}
			if r.other != nil && r.other.Match(called.File) {
				f.Severity = guardedUse.in(p)
			}
			d.report(p, f, d.Admitted&^r.served)
		}
	})
}

// route is a part of the host's HTTP API that not all versions serve.
type route struct {
	path   *regexp.Regexp
	served shared.Set
	what   string
	help   string
	other  *regexp.Regexp // calls of what other versions serve instead; may be nil
}

// byID matches a substitution whose name says that it is the number of a data source, and not its uid.
const byID = `(%d|\$\{([^{}]*[^\w{}])?(id|\w*[^uU\W](Id|ID))!?\})`

// hostRoutes holds what is known, with the pull request of https://github.com/grafana/grafana.
var hostRoutes = sync.OnceValue(func() (all []route) {
	add := func(path, served, what, help string) *route {
		all = append(all, route{path: regexp.MustCompile(path), served: hosts(served), what: what, help: help})
		return &all[len(all)-1]
	}
	add(`^/api/dashboards/db/[^/]`, "<8", "do not serve it from 8.0 on", "use the uid of the dashboard")                           // 35104
	add(`^/api/tsdb/query$`, "<9", "do not serve it from 9.0 on", "extend DataSourceWithBackend, and call its method query")       // 49916
	add(`^/api/playlists/[^/]+/dashboards$`, "<10.2", "do not serve it from 10.2 on", "read the items, and search for dashboards") // 75503
	// 106019
	add(`^/api/(auth/keys|serviceaccounts/migrate)(/|$)`, "<12.1", "do not serve it from 12.1 on", "use service accounts and their tokens")
	// 110499, before 12.3.0
	add(`^/api/user/stars/dashboard/[^/]+$`, "<12.3", "do not serve it from 12.3 on", "use the uid of the dashboard")
	// 117227, in the release notes of 12.4.0
	add(`^/api/dashboards/id/[^/]+/(permissions|versions|restore)(/|$)`, "<12.4", "do not serve it from 12.4 on",
		"use the uid of the dashboard").other = regexp.MustCompile(`dashboards/uid/`)
	// 121692
	add(`^/api/alertmanager/grafana/config/api/v1/receivers/test$`, "<13", "do not serve it from 13.0 on",
		"use the API notifications.alerting.grafana.app")
	// 119930; grafana/strava-datasource/128 and grafana/opensearch-datasource/1083 report the status 404
	add(`^/api/datasources/(proxy/)?`+byID+`(/|$)`, "<13", "serve it from 13.0 on only with the feature toggle datasourceLegacyIdApi",
		"use the uid of the data source").other = regexp.MustCompile(`datasources/(proxy/)?uid/`)
	// 47634 and 48676
	add(`^/api/datasources/(proxy/uid/|uid/[^/]+/(resources|health)(/|$))`, ">=9", "do not serve it before 9.0",
		"change the range to versions that serve it").other = regexp.MustCompile(`datasources/(proxy/)?` + byID)
	return all
})
