package api

import (
	"encoding/json"
	"net/http"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// pluginSettings are the settings of an app in an answer. Of its secrets only the
// names are told.
type pluginSettings struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Type             bundle.Type     `json:"type"`
	Enabled          bool            `json:"enabled"`
	Pinned           bool            `json:"pinned"`
	JSONData         json.RawMessage `json:"jsonData"`
	SecureJSONFields map[string]bool `json:"secureJsonFields"`
	Includes         []include       `json:"includes"`
}

// include is a page, dashboard or panel of a plugin that the caller may see.
type include struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Path       string `json:"path"`
	UID        string `json:"uid"`
	Role       string `json:"role,omitempty"`
	Action     string `json:"action,omitempty"`
	AddToNav   bool   `json:"addToNav"`
	DefaultNav bool   `json:"defaultNav"`
}

// includesFor leaves out what plugin.json keeps from the caller.
func includesFor(m *bundle.Metadata, who host.Identity) []include {
	seen := []include{}
	for _, i := range m.Includes {
		asks := host.Requirement{PluginID: m.ID, Role: i.Role, Action: i.Action, Scope: "plugins:id:" + m.ID}
		if asks.Check(who) == nil {
			seen = append(seen, include(i))
		}
	}
	return seen
}

func (a *API) pluginSettings(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	s, err := a.store.AppSettings(r.Context(), who.OrgID, p.ID())
	if err != nil {
		return err
	}
	m := p.Bundle().Metadata
	if s.Updated.IsZero() {
		s.IsPinned = m.AutoEnabled
	}
	return answer(w, http.StatusOK, pluginSettings{m.ID, m.Name, m.Type, s.IsEnabled, s.IsPinned, s.JSON, secretFields(s.SecretNames), includesFor(m, who)})
}

// openApp returns the settings of an app with its secrets, unless it was disabled.
func (a *API) openApp(r *http.Request, who host.Identity, id string) (host.AppSettings, error) {
	app, err := a.store.UnlockApp(r.Context(), who.OrgID, id)
	if err == nil && !app.IsEnabled {
		err = host.Forbidden("Permission denied: the app %s is disabled", id)
	}
	return app, err
}

type pluginSettingsBody struct {
	Enabled *bool `json:"enabled"` // true if absent
	Pinned  bool  `json:"pinned"`
	settingsBody
}

func (a *API) setPluginSettings(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[pluginSettingsBody](w, r)
	if err != nil {
		return err
	}
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	if t := p.Bundle().Metadata.Type; t != bundle.TypeApp {
		return host.Invalid("id", "is a %s: only apps have settings of their own", t)
	}
	visible, err := body.visible()
	if err != nil {
		return err
	}
	if err := a.store.SetAppSettings(r.Context(), who, host.AppSettings{
		PluginID: p.ID(), IsEnabled: body.Enabled == nil || *body.Enabled, IsPinned: body.Pinned, JSON: visible, Secrets: body.secrets(),
	}); err != nil {
		return err
	}
	return answer(w, http.StatusOK, message{Message: "Plugin settings updated"})
}
