package console

import (
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// overview loads all problems and the list of plugins.
func overview(c *client) (any, error) {
	var data struct {
		Problems []hostapi.PluginProblem
		Plugins  []hostapi.Plugin
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
