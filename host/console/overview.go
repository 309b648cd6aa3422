package console

import (
	"encoding/json"
	"net/url"
	"strings"
)

// pluginInfo is a mounted plugin, as GET /api/plugins returns it.
type pluginInfo struct {
	ID, Name, Type, Version string
	Backend                 *struct {
		State    string
		Restarts int
		Reason   string
		PID      int
		Token    struct {
			Injected bool
			Reason   string
		}
	}
}

// IsFailed reports whether the backend has failed and does not start again by itself.
func (p pluginInfo) IsFailed() bool {
	return p.Backend != nil && (p.Backend.State == "failed" || p.Backend.State == "crash-loop")
}

// problem is a plugin that is not mounted or not running, as GET /api/plugins/errors
// returns it.
type problem struct {
	Code     string `json:"errorCode"`
	PluginID string
	Path     string
	Reason   string
	Stage    string // what the host was doing, if it is known
	Help     string // what to do about it
	Stderr   lines  // the last ones that the backend printed
}

// overview loads all problems and the list of plugins.
func overview(c *client) (any, error) {
	var data struct {
		Problems []problem
		Plugins  []pluginInfo
	}
	if err := c.get("/api/plugins", &data.Plugins); err != nil {
		return nil, err
	}
	if !c.who.IsAdmin() {
		return data, nil
	}
	var err error
	data.Problems, err = c.problems(data.Plugins)
	return data, err
}

// login loads the sign-in page. Next is the page to go to afterward, on this host.
func login(c *client) (any, error) {
	next := c.r.URL.Query().Get("next")
	u, err := url.Parse(next)
	isHere := err == nil && u.Scheme == "" && u.Host == "" && strings.HasPrefix(next, "/") && !strings.HasPrefix(u.Path, "//") &&
		!strings.Contains(next, `\`) && !strings.Contains(u.Path, `\`)
	if !isHere {
		next = "/"
	}
	return struct{ Next string }{next}, nil
}

// lines are lines of text in JSON: an array, or one string.
type lines []string

// UnmarshalJSON accepts both forms.
func (l *lines) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = nil
		if text != "" {
			*l = strings.Split(text, "\n")
		}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}
