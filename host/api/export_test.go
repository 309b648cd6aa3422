package api

import (
	"encoding/json"
	"time"
)

// SetBodyTime replaces the time in which a body must have arrived.
func (a *API) SetBodyTime(d time.Duration) { a.bodyTime = d }

// OpenAPI returns the document that describes the routes.
func OpenAPI(a *API) (json.RawMessage, error) { return a.described() }

// HasBody reports whether a route reads a JSON body.
func HasBody(r Route) bool { return r.Handler.body() != nil }

// HasOutput reports whether the response of a route is described by a type.
func HasOutput(r Route) bool { return r.Handler.output != nil }

// MaxFeeds is how many clients can read events at the same time.
const MaxFeeds = maxFeeds

// Feeds returns how many clients read events.
func Feeds(a *API) int {
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	return len(a.events.feeds)
}

// SetFeedTimes sets the interval of comments and the life of event streams.
func SetFeedTimes(a *API, interval, life time.Duration) {
	a.events.interval, a.events.life = interval, life
}
