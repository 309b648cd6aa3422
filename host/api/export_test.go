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
