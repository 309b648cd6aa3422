package api

import (
	"net/http"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/loader"
)

func (a *API) proxyDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, d, err := a.openDataSource(r.Context(), who, r.PathValue("uid"))
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, restOf(r), proxy.Target{
		PluginID: p.ID(), Routes: p.Bundle().Metadata.Routes, Scope: "datasources:uid:" + d.UID,
		URL: d.URL, JSON: d.JSON, Secrets: d.Secrets,
		BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser, Cookies: cookiesFor(r.Header, d),
	})
}

func (a *API) proxyApp(w http.ResponseWriter, r *http.Request, who host.Identity, p *loader.Plugin) error {
	m := p.Bundle().Metadata
	if m.Type != bundle.TypeApp {
		return &host.Error{Category: host.ErrNotFound, Message: "plugin " + m.ID + " is not an app; use its routes through a data source"}
	}
	app, err := a.openApp(r.Context(), who, m.ID)
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, restOf(r), proxy.Target{
		PluginID: m.ID, Routes: m.Routes, Scope: "plugins:id:" + m.ID, JSON: app.JSON, Secrets: app.Secrets,
	})
}

// restOf returns what /{path...} in the pattern of a route matches, as it was sent: in a decoded
// path an encoded slash looks like any other. It is "" for a path without that part.
func restOf(r *http.Request) string {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	rest := segments[strings.Count(strings.TrimSuffix(r.Pattern, "/{path...}"), "/"):]
	rest[0] = ""
	return strings.Join(rest, "/")
}
