package console

import (
	"net/http"
	"net/url"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// previewPage is the page that shows the frontend of a plugin in the preview.
type previewPage struct {
	Plugin    hostapi.Plugin
	Link      string // to the view of the plugin, with the token; "" if no preview runs
	Elsewhere string // where the console must be opened to show it; "" is here
}

// preview loads that page, for administrators only: who has the token can call the API as one.
func preview(c *client) (any, error) {
	one, _, err := c.plugin()
	if err != nil {
		return nil, err
	}
	at := previewPath(one)
	switch {
	case !c.who.IsAdmin():
		return nil, &apiError{http.StatusForbidden, "Permission denied"}
	case at == "":
		return nil, &apiError{http.StatusNotFound, "This plugin has no frontend"}
	}
	p := previewPage{Plugin: one}
	if c.Preview == nil {
		return p, nil
	}
	link := *c.Preview
	link.Path = at
	p.Link = link.String()
	// The preview can be framed by one origin only.
	if u, err := url.Parse(c.URL); err != nil || u.Host != c.r.Host {
		p.Elsewhere = c.URL + c.r.URL.EscapedPath()
		return p, nil
	}
	c.frames = link.Scheme + "://" + link.Host
	return p, nil
}

// previewPath returns the path of a plugin in the preview, or "" if plugins of its type have no frontend.
func previewPath(p hostapi.Plugin) string {
	switch p.Type {
	case "panel", "datasource":
		return "/" + p.Type + "/" + p.ID
	case "app":
		return "/a/" + p.ID
	}
	return ""
}
