package api

import (
	"net/http"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
)

func (a *API) proxyRoutes() []Route {
	return []Route{
		{"", "/api/datasources/proxy/uid/{uid}/{path...}", action(access.DatasourcesQuery).on("datasources:uid:{uid}"), raw(a.proxyDataSource), doc{Summary: "Forward a request through a route of a data source or, if its plugin declares none, to its URL"}},
		{"", "/api/plugin-proxy/{id}/{path...}", action(access.PluginsAccess).on("plugins:id:{id}"), raw(a.proxyApp), doc{Summary: "Forward a request through a route of an app"}},
	}
}

func (a *API) proxyDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	return a.forward(w, r, who, "/api/datasources/proxy/uid/{uid}/")
}

func (a *API) proxyDataSourceByID(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	return a.forward(w, r, who, "/api/datasources/proxy/{id}/")
}

// forward forwards what follows a prefix of the path to the data source with the path
// value uid.
func (a *API) forward(w http.ResponseWriter, r *http.Request, who host.Identity, prefix string) error {
	p, d, err := a.openDataSource(r.Context(), who, r.PathValue("uid"))
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, after(r, prefix), proxy.Target{
		PluginID: p.ID(), Routes: p.Bundle().Metadata.Routes, Scope: "datasources:uid:" + d.UID,
		URL: d.URL, JSON: d.JSON, Secrets: d.Secrets,
		BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser, Cookies: cookiesFor(r.Header, d),
	})
}

func (a *API) proxyApp(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.plugin(r.PathValue("id"))
	if err != nil {
		return err
	}
	m := p.Bundle().Metadata
	if m.Type != bundle.TypeApp {
		return &host.Error{Category: host.ErrNotFound, Message: "plugin " + m.ID + " is not an app; use its routes through a data source"}
	}
	app, err := a.openApp(r.Context(), who, m.ID)
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, after(r, "/api/plugin-proxy/{id}/"), proxy.Target{
		PluginID: m.ID, Routes: m.Routes, Scope: "plugins:id:" + m.ID, JSON: app.JSON, Secrets: app.Secrets,
	})
}

// after returns the rest of the request path after a prefix, as it was sent: in a decoded
// path an encoded slash looks like any other.
func after(r *http.Request, prefix string) string {
	parts := strings.SplitN(r.URL.EscapedPath(), "/", strings.Count(prefix, "/")+1)
	return parts[len(parts)-1]
}
