package api

import (
	"net/http"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
)

func (a *API) proxyRoutes() []Route {
	return []Route{
		{"", "/api/datasources/proxy/uid/{uid}/{path...}", Action(host.ActionDatasourcesQuery).On("datasources:uid:{uid}"), a.proxyDataSource,
			Doc{Summary: "Forward by the routes of a data source's plugin"}},
		{"", "/api/plugin-proxy/{id}/{path...}", Action(host.ActionPluginsAccess).On("plugins:id:{id}"), a.proxyApp,
			Doc{Summary: "Forward by the routes of an app"}},
	}
}

func (a *API) proxyDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, d, err := a.openDataSource(r, who)
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, after(r, "/api/datasources/proxy/uid/{uid}/"), proxy.Target{
		PluginID: p.ID(), Routes: p.Bundle().Metadata.Routes, Scope: "datasources:uid:" + d.UID,
		URL: d.URL, JSON: d.JSON, Secrets: d.Secrets,
	})
}

func (a *API) proxyApp(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	m := p.Bundle().Metadata
	if m.Type != bundle.TypeApp {
		return &host.Error{Category: host.ErrNotFound, Message: "the plugin " + m.ID + " is no app: its routes are reached through its data sources"}
	}
	app, err := a.openApp(r, who, m.ID)
	if err != nil {
		return err
	}
	return a.proxy.Forward(w, r, who, after(r, "/api/plugin-proxy/{id}/"), proxy.Target{
		PluginID: m.ID, Routes: m.Routes, Scope: "plugins:id:" + m.ID, JSON: app.JSON, Secrets: app.Secrets,
	})
}

// after returns what follows a prefix in the path of a request, as it was sent: a
// decoded path does not tell a slash from an encoded one.
func after(r *http.Request, prefix string) string {
	parts := strings.SplitN(r.URL.EscapedPath(), "/", strings.Count(prefix, "/")+1)
	return parts[len(parts)-1]
}
