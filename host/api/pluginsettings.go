package api

import (
	"context"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// includesFor returns the includes whose requirements in plugin.json the caller meets.
func includesFor(m *bundle.Metadata, who host.Identity) []hostapi.Include {
	seen := []hostapi.Include{}
	for _, i := range m.Includes {
		if isShown(m, i, who) {
			seen = append(seen, hostapi.Include{Type: i.Type, Name: i.Name, Slug: host.Slug(i.Name), Path: i.Path, UID: i.UID, Role: i.Role,
				Action: i.Action, AddToNav: i.AddToNav, DefaultNav: i.DefaultNav, Icon: i.Icon, Component: i.Component})
		}
	}
	return seen
}

// isShown reports whether the caller meets the requirements of an entry in includes.
func isShown(m *bundle.Metadata, i bundle.Include, who host.Identity) bool {
	asks := host.Requirement{PluginID: m.ID, Role: i.Role, Action: i.Action, Scope: "plugins:id:" + m.ID}
	return asks.Check(who) == nil
}

func (a *API) pluginSettings(ctx context.Context, who host.Identity, p *loader.Plugin, _ pluginPath) (hostapi.PluginSettings, error) {
	about, s, err := a.about(ctx, who, p)
	m := p.Bundle().Metadata
	return hostapi.PluginSettings{PluginAbout: about, Module: publicPath(m.ID, "module.js"), BaseURL: publicPath(m.ID, ""), AutoEnabled: m.AutoEnabled,
		JSONData: s.JSON, SecureJSONFields: secretFields(s.SecretNames), Includes: includesFor(m, who), Preload: m.Preload,
		EnterpriseFeatures: hostapi.EnterpriseFeatures{HealthDiagnosticsErrors: m.HealthDiagnosticsErrors}}, err
}

// about describes a plugin, and returns its settings, which only apps store.
func (a *API) about(ctx context.Context, who host.Identity, p *loader.Plugin) (hostapi.PluginAbout, host.AppSettings, error) {
	s, err := a.Store.AppSettings(ctx, who.OrgID, p.ID())
	m := p.Bundle().Metadata
	if s.Updated.IsZero() {
		s.IsPinned = m.AutoEnabled
	}
	about := hostapi.PluginAbout{ID: m.ID, Name: m.Name, Type: string(m.Type), Category: m.Category, State: m.State, Enabled: s.IsEnabled,
		Pinned: s.IsPinned, Info: infoOf(m), Dependencies: dependenciesOf(m), DefaultNavURL: defaultNavURL(m, includesFor(m, who)),
		Signature: "unsigned"}
	return about, s, err
}

// openApp returns the settings of an app with its secrets. It rejects disabled apps.
func (a *API) openApp(ctx context.Context, who host.Identity, id string) (host.AppSettings, error) {
	app, err := a.Store.UnlockApp(ctx, who.OrgID, id)
	if err == nil && !app.IsEnabled {
		err = host.Forbidden("Permission denied: app %q is disabled", id)
	}
	return app, err
}

type pluginSettingsBody struct {
	Enabled *bool `json:"enabled"` // true if absent
	Pinned  bool  `json:"pinned"`
	settingsBody
}

func (a *API) setPluginSettings(ctx context.Context, who host.Identity, p *loader.Plugin, in struct {
	pluginPath
	Body pluginSettingsBody
}) (message, error) {
	if t := p.Bundle().Metadata.Type; t != bundle.TypeApp {
		return message{}, host.Invalid("id", "is a %s plugin, but only apps have settings", t)
	}
	visible, err := in.Body.visible()
	if err != nil {
		return message{}, err
	}
	return message{Message: "Plugin settings updated"}, a.Store.SetAppSettings(ctx, who, host.AppSettings{
		PluginID: p.ID(), IsEnabled: in.Body.Enabled == nil || *in.Body.Enabled, IsPinned: in.Body.Pinned,
		JSON: visible, Secrets: in.Body.SecureJSONData,
		Origins: func(s host.AppSettings) []string {
			return proxy.Origins(p.Bundle().Metadata.Routes, "", s.JSON, s.Secrets)
		},
	})
}

// publicPath returns the path of a file of a plugin, relative to the address of the host.
func publicPath(pluginID, file string) string {
	if strings.Contains(file, "://") {
		return file
	}
	return path.Join("public/plugins", pluginID, file)
}

func infoOf(m *bundle.Metadata) hostapi.PluginInfo {
	i := m.Info
	about := hostapi.PluginInfo{Author: hostapi.Person(i.Author), Description: i.Description, Links: []hostapi.Link{}, Screenshots: []hostapi.Screenshot{},
		Updated: i.Updated, Version: i.Version, Keywords: append([]string{}, i.Keywords...)}
	for _, link := range i.Links {
		about.Links = append(about.Links, hostapi.Link(link))
	}
	for _, image := range i.Screenshots {
		about.Screenshots = append(about.Screenshots, hostapi.Screenshot{Name: image.Name, Path: publicPath(m.ID, image.Path)})
	}
	if i.Logos.Small != "" {
		about.Logos.Small = publicPath(m.ID, i.Logos.Small)
	}
	if i.Logos.Large != "" {
		about.Logos.Large = publicPath(m.ID, i.Logos.Large)
	}
	return about
}

func dependenciesOf(m *bundle.Metadata) hostapi.Dependencies {
	d := m.Dependencies
	return hostapi.Dependencies{ServiceDependency: d.ServiceRange, GrafanaDependency: d.ServiceRange, GrafanaVersion: d.ServiceVersion,
		Plugins: mapped(d.Plugins, func(p bundle.PluginDependency) hostapi.PluginDependency {
			return hostapi.PluginDependency{ID: p.ID, Name: p.Name, Type: string(p.Type), Version: p.Version}
		})}
}

// defaultNavURL returns the page that opens when the plugin is selected in the menu.
func defaultNavURL(m *bundle.Metadata, includes []hostapi.Include) string {
	if m.Type != bundle.TypeApp {
		return ""
	}
	for _, i := range includes {
		if i.DefaultNav && i.Type == "page" && i.Path != "" {
			return i.Path
		}
		if i.DefaultNav && i.Type == "dashboard" && i.UID != "" {
			return "/d/" + i.UID
		}
	}
	return "/plugins/" + m.ID
}
