package api

import (
	"context"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// includesFor returns the includes whose requirements in plugin.json the caller meets.
func includesFor(m *bundle.Metadata, who host.Identity) []hostapi.Include {
	seen := []hostapi.Include{}
	for _, i := range m.Includes {
		if isShown(m, i, who) {
			seen = append(seen, hostapi.Include(i))
		}
	}
	return seen
}

// isShown reports whether the caller meets the requirements of an entry in includes.
func isShown(m *bundle.Metadata, i bundle.Include, who host.Identity) bool {
	asks := host.Requirement{PluginID: m.ID, Role: i.Role, Action: i.Action, Scope: "plugins:id:" + m.ID}
	return asks.Check(who) == nil
}

func (a *API) pluginSettings(ctx context.Context, who host.Identity, in pluginPath) (hostapi.PluginSettings, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return hostapi.PluginSettings{}, err
	}
	s, err := a.store.AppSettings(ctx, who.OrgID, p.ID())
	m := p.Bundle().Metadata
	if s.Updated.IsZero() {
		s.IsPinned = m.AutoEnabled
	}
	includes := includesFor(m, who)
	return hostapi.PluginSettings{ID: m.ID, Name: m.Name, Type: string(m.Type), Enabled: s.IsEnabled, Pinned: s.IsPinned,
		Module: publicPath(m.ID, "module.js"), BaseURL: publicPath(m.ID, ""), Info: aboutOf(m), Dependencies: dependenciesOf(m),
		JSONData: s.JSON, SecureJSONFields: secretFields(s.SecretNames), Includes: includes, DefaultNavURL: defaultNavURL(m, includes),
		State: m.State, Preload: m.Preload, EnterpriseFeatures: hostapi.EnterpriseFeatures{HealthDiagnosticsErrors: m.HealthDiagnosticsErrors}}, err
}

// openApp returns the settings of an app with its secrets. It rejects disabled apps.
func (a *API) openApp(ctx context.Context, who host.Identity, id string) (host.AppSettings, error) {
	app, err := a.store.UnlockApp(ctx, who.OrgID, id)
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

func (a *API) setPluginSettings(ctx context.Context, who host.Identity, in struct {
	pluginPath
	Body pluginSettingsBody
}) (message, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return message{}, err
	}
	if t := p.Bundle().Metadata.Type; t != bundle.TypeApp {
		return message{}, host.Invalid("id", "is a %s plugin, but only apps have settings", t)
	}
	visible, err := in.Body.visible()
	if err != nil {
		return message{}, err
	}
	return message{Message: "Plugin settings updated"}, a.store.SetAppSettings(ctx, who, host.AppSettings{
		PluginID: p.ID(), IsEnabled: in.Body.Enabled == nil || *in.Body.Enabled, IsPinned: in.Body.Pinned,
		JSON: visible, Secrets: in.Body.secrets(),
		Origins: func(s host.AppSettings) []string {
			return proxy.Origins(p.Bundle().Metadata.Routes, "", s.JSON, s.Secrets)
		},
	})
}
