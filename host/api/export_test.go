package api

import "time"

// SetBodyTime replaces the time in which a body must have arrived.
func (a *API) SetBodyTime(d time.Duration) { a.bodyTime = d }
