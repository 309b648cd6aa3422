package console

import "github.com/slipway-dev/slipway/sdk/hostapi"

// sessions loads the list of the caller's sessions.
func sessions(c *client) (any, error) {
	var all []hostapi.Session
	return all, c.get("/api/sessions", &all)
}
