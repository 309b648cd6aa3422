package api

import (
	"context"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func frontendPluginOf(p *loader.Plugin) hostapi.FrontendPlugin {
	m := p.Bundle().Metadata
	return hostapi.FrontendPlugin{ID: m.ID, Name: m.Name, Type: string(m.Type), Info: infoOf(m), Module: publicPath(m.ID, "module.js"),
		BaseURL: publicPath(m.ID, ""), Version: m.Info.Version, Preload: m.Preload, State: m.State}
}

func (a *API) frontendSettings(ctx context.Context, who host.Identity, in pageQuery) (hostapi.FrontendSettings, error) {
	out := hostapi.FrontendSettings{AppURL: a.AppURL, BuildInfo: hostapi.BuildInfo{Version: a.Version, Edition: "Slipway", Env: "production"},
		Datasources: map[string]hostapi.FrontendDataSource{}, Panels: map[string]hostapi.FrontendPlugin{}, Apps: map[string]hostapi.FrontendPlugin{}, FeatureToggles: map[string]bool{}}
	for _, toggle := range a.Toggles {
		out.FeatureToggles[toggle] = true
	}
	for _, p := range store.Cut(a.Plugins.Plugins(), in.longPage()) {
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
	found, err := a.Store.DataSources(ctx, who.OrgID, onlyUIDs(reach, access.DatasourceScope), in.longPage())
	for _, d := range found {
		p, err := a.pluginOf(d)
		if err != nil {
			continue // a frontend cannot use a data source whose plugin is not mounted
		}
		_, isReadOnly := a.ReadOnly(d.UID)
		out.Datasources[d.Name] = hostapi.FrontendDataSource{ID: d.ID, UID: d.UID, Name: d.Name, Type: d.Type, URL: "/api/datasources/proxy/uid/" + d.UID,
			Access: accessProxy, IsDefault: d.IsDefault, ReadOnly: isReadOnly, JSONData: d.JSON, Meta: frontendPluginOf(p)}
		if d.IsDefault {
			out.DefaultDatasource = d.Name
		}
	}
	return out, err
}
