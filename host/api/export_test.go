package api

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/live"
)

// DashboardIn reads a dashboard of a plugin.
func DashboardIn(b bundle.Plugin, i bundle.Include) (host.Dashboard, error) {
	return readDashboard(b, i)
}

// AllowsHost reports whether a host with allowed names accepts a Host header.
func AllowsHost(allowed []string, header string) bool {
	return newGuard(allowed).allowsHost(&http.Request{Host: header, ProtoMajor: 1, ProtoMinor: 1})
}

// SetIdleTime replaces the time for a client to send or accept a part.
func (a *API) SetIdleTime(d time.Duration) { a.idleTime = d }

// OpenAPI returns the document that describes the routes.
func OpenAPI(a *API) (json.RawMessage, error) { return a.described() }

// HasBody reports whether a route reads a JSON body.
func HasBody(r Route) bool { return r.Handler.body() != nil }

// HasOutput reports whether the response of a route is described by a type.
func HasOutput(r Route) bool { return r.Handler.output != nil }

// Feeds returns how many clients read events.
func Feeds(a *API) int { return a.events.feed.Len() }

// SetFeedTimes sets the interval of comments and the life of event streams.
func SetFeedTimes(a *API, interval, life time.Duration) {
	a.events.interval, a.events.life = interval, life
}

// CheckStreams sets the interval of the checks of the clients of streams. Call it before
// the first one connects.
func (a *API) CheckStreams(every time.Duration) {
	a.live = live.New(live.Options{Open: a.openChannel, Logger: a.Logger, Check: every})
}

// QueryNames returns the names of the parameters that a route reads from the query.
func QueryNames(r Route) (names []string) {
	for _, in := range r.Handler.inputs {
		if in.from == "query" {
			names = append(names, in.name)
		}
	}
	return names
}
