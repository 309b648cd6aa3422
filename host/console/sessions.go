package console

import "time"

// session is a browser that is signed in, as GET /api/sessions returns it.
type session struct {
	ID        int64
	UserAgent string
	Created   time.Time
	SeenAt    time.Time
	Expires   time.Time
}

// sessions loads the list of the caller's sessions.
func sessions(c *client) (any, error) {
	var all []session
	return all, c.get("/api/sessions", &all)
}
