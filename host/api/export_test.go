package api

import (
	"encoding/json"
	"time"
)

// SetBodyTime replaces the time in which a body must have arrived.
func (a *API) SetBodyTime(d time.Duration) { a.bodyTime = d }

// OpenAPI returns the document that describes the routes.
func OpenAPI(a *API) (json.RawMessage, error) { return a.described() }
