package api

import (
	"context"
	"encoding/json"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
)

// pluginSettings are a plugin and, if it is an app, its settings in a response, with the
// names of its secrets only.
type pluginSettings struct {
	ID               string             `json:"id"`
	Name             string             `json:"name"`
	Type             bundle.Type        `json:"type"`
	Enabled          bool               `json:"enabled"`
	Pinned           bool               `json:"pinned"`
	Module           string             `json:"module"`
	BaseURL          string             `json:"baseUrl"`
	Info             pluginAbout        `json:"info"`
	Dependencies     pluginDependencies `json:"dependencies"`
	JSONData         json.RawMessage    `json:"jsonData"`
	SecureJSONFields map[string]bool    `json:"secureJsonFields"`
	Includes         []include          `json:"includes"`
	DefaultNavURL    string             `json:"defaultNavUrl"`
	State            string             `json:"state"`
	Preload          bool               `json:"preload"`
	LatestVersion    string             `json:"latestVersion"` // "": this host has no catalog of plugins
	HasUpdate        bool               `json:"hasUpdate"`

	EnterpriseFeatures enterpriseFeatures `json:"enterpriseFeatures"`
}

// enterpriseFeatures are the features of the service that a plugin enables.
type enterpriseFeatures struct {
	HealthDiagnosticsErrors bool `json:"healthDiagnosticsErrors"`
}

// include is a page, dashboard or panel of a plugin that is visible to the caller.
type include struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Path       string `json:"path"`
	UID        string `json:"uid"`
	Role       string `json:"role,omitempty"`
	Action     string `json:"action,omitempty"`
	AddToNav   bool   `json:"addToNav"`
	DefaultNav bool   `json:"defaultNav"`
	Icon       string `json:"icon,omitempty"`
	Component  string `json:"component,omitempty"`
}

// includesFor returns the includes whose requirements in plugin.json the caller meets.
func includesFor(m *bundle.Metadata, who host.Identity) []include {
	seen := []include{}
	for _, i := range m.Includes {
		if isShown(m, i, who) {
			seen = append(seen, include(i))
		}
	}
	return seen
}

// isShown reports whether the caller meets the requirements of an entry in includes.
func isShown(m *bundle.Metadata, i bundle.Include, who host.Identity) bool {
	asks := host.Requirement{PluginID: m.ID, Role: i.Role, Action: i.Action, Scope: "plugins:id:" + m.ID}
	return asks.Check(who) == nil
}

func (a *API) pluginSettings(ctx context.Context, who host.Identity, in pluginPath) (pluginSettings, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return pluginSettings{}, err
	}
	s, err := a.store.AppSettings(ctx, who.OrgID, p.ID())
	m := p.Bundle().Metadata
	if s.Updated.IsZero() {
		s.IsPinned = m.AutoEnabled
	}
	includes := includesFor(m, who)
	return pluginSettings{ID: m.ID, Name: m.Name, Type: m.Type, Enabled: s.IsEnabled, Pinned: s.IsPinned,
		Module: publicPath(m.ID, "module.js"), BaseURL: publicPath(m.ID, ""), Info: aboutOf(m), Dependencies: dependenciesOf(m),
		JSONData: s.JSON, SecureJSONFields: secretFields(s.SecretNames), Includes: includes, DefaultNavURL: defaultNavURL(m, includes),
		State: m.State, Preload: m.Preload, EnterpriseFeatures: enterpriseFeatures{m.HealthDiagnosticsErrors}}, err
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
