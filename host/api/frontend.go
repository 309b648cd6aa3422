package api

import (
	"context"
	"encoding/json"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

func (a *API) frontendRoutes() []Route {
	return []Route{
		{"GET", "/api/frontend/settings", SignedIn(), call(a.frontendSettings), Doc{Summary: "Get what the frontends of plugins need: the data sources that the caller may query, panels, apps and toggles"}},
	}
}

// frontendSettings are what a frontend reads once when it starts.
type frontendSettings struct {
	AppURL            string                        `json:"appUrl"`
	AppSubURL         string                        `json:"appSubUrl"`
	BuildInfo         buildInfo                     `json:"buildInfo"`
	DefaultDatasource string                        `json:"defaultDatasource"` // a name, or ""
	Datasources       map[string]frontendDataSource `json:"datasources"`       // by name
	Panels            map[string]frontendPlugin     `json:"panels"`            // by id
	Apps              map[string]frontendPlugin     `json:"apps"`              // by id
	FeatureToggles    map[string]bool               `json:"featureToggles"`
	AnonymousEnabled  bool                          `json:"anonymousEnabled"`
	UnifiedAlerting   bool                          `json:"unifiedAlertingEnabled"`
}

type buildInfo struct {
	Version   string `json:"version"`
	Edition   string `json:"edition"`
	Env       string `json:"env"`
	HasUpdate bool   `json:"hasUpdate"`
}

// frontendDataSource is a data source as a frontend needs it. Its jsonData is visible to
// everyone who may query it.
type frontendDataSource struct {
	ID        int64           `json:"id"`
	UID       string          `json:"uid"`
	Name      string          `json:"name"`
	Type      string          `json:"type"`
	URL       string          `json:"url"` // of the proxy
	Access    string          `json:"access"`
	IsDefault bool            `json:"isDefault"`
	ReadOnly  bool            `json:"readOnly"`
	JSONData  json.RawMessage `json:"jsonData"`
	Meta      frontendPlugin  `json:"meta"`
}

// frontendPlugin is a plugin as a frontend needs it.
type frontendPlugin struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Type    bundle.Type `json:"type"`
	Info    pluginAbout `json:"info"`
	Module  string      `json:"module"`
	BaseURL string      `json:"baseUrl"`
	Version string      `json:"version"`
	Preload bool        `json:"preload"`
	State   string      `json:"state"`
}

func frontendPluginOf(p *loader.Plugin) frontendPlugin {
	m := p.Bundle().Metadata
	return frontendPlugin{m.ID, m.Name, m.Type, aboutOf(m), publicPath(m.ID, "module.js"), publicPath(m.ID, ""), m.Info.Version, m.Preload, m.State}
}

func (a *API) frontendSettings(ctx context.Context, who host.Identity, in pageQuery) (frontendSettings, error) {
	out := frontendSettings{AppURL: a.appURL, BuildInfo: buildInfo{Version: a.version, Edition: "Slipway", Env: "production"},
		Datasources: map[string]frontendDataSource{}, Panels: map[string]frontendPlugin{}, Apps: map[string]frontendPlugin{}, FeatureToggles: map[string]bool{}}
	for _, toggle := range a.toggles {
		out.FeatureToggles[toggle] = true
	}
	for _, p := range store.Cut(a.loaded.Plugins(), in.longPage()) {
		if !who.Allows(access.PluginsAccess, "plugins:id:"+p.ID()) {
			continue
		}
		switch p.Bundle().Metadata.Type {
		case bundle.TypePanel:
			out.Panels[p.ID()] = frontendPluginOf(p)
		case bundle.TypeApp:
			out.Apps[p.ID()] = frontendPluginOf(p)
		}
	}
	reach := who.Reach(access.DatasourcesQuery, access.DatasourceScope)
	if !reach.IsAll && len(reach.Named) == 0 {
		return out, nil
	}
	found, err := a.store.DataSources(ctx, who.OrgID, onlyUIDs(reach, access.DatasourceScope), in.longPage())
	for _, d := range found {
		p, err := a.pluginOf(d)
		if err != nil {
			continue // a frontend cannot use a data source whose plugin is not mounted
		}
		_, isReadOnly := a.readOnly(d.UID)
		out.Datasources[d.Name] = frontendDataSource{d.ID, d.UID, d.Name, d.Type, "/api/datasources/proxy/uid/" + d.UID, accessProxy,
			d.IsDefault, isReadOnly, d.JSON, frontendPluginOf(p)}
		if d.IsDefault {
			out.DefaultDatasource = d.Name
		}
	}
	return out, err
}
