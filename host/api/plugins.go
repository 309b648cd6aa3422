package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
)

func (a *API) pluginRoutes() []Route {
	const scope = "plugins:id:{id}"
	access := Action(host.ActionPluginsAccess).On(scope)
	return []Route{
		{"GET", "/api/plugins", SignedIn(), a.plugins,
			Doc{Summary: "List the mounted plugins", Answer: []pluginInfo{}}},
		{"GET", "/api/plugins/errors", Action(host.ActionPluginsWrite), a.pluginErrors,
			Doc{Summary: "List what is not mounted or does not run, and why", Answer: []pluginFault{}}},
		{"GET", "/api/plugins/{id}/settings", access, a.pluginSettings,
			Doc{Summary: "Read the settings of an app", Answer: pluginSettings{}}},
		{"POST", "/api/plugins/{id}/settings", Action(host.ActionPluginsWrite).On(scope), a.setPluginSettings,
			Doc{Summary: "Replace the settings of an app", Body: pluginSettingsBody{}, Answer: message{}}},
		{"GET", "/api/plugins/{id}/health", access, a.pluginHealth,
			Doc{Summary: "Ask a backend for its health", Answer: pluginHealth{}, Also: http.StatusServiceUnavailable}},
		{"GET", "/api/plugins/{id}/metrics", Action(host.ActionPluginsWrite).On(scope), a.pluginMetrics,
			Doc{Summary: "Collect the metrics of a backend, in the text format of Prometheus", Media: "text/plain"}},
		{"", "/api/plugins/{id}/resources", access, a.pluginResource,
			Doc{Summary: "Call a plugin's own endpoints"}},
		{"", "/api/plugins/{id}/resources/{path...}", access, a.pluginResource,
			Doc{Summary: "Call a plugin's own endpoints"}},
		{"POST", "/api/ds/query", Action(host.ActionDatasourcesQuery), a.queryData,
			Doc{Summary: "Query data sources", Body: queryBody{}, Answer: queryResults{}, Also: http.StatusMultiStatus}},
	}
}

// pluginInfo is a mounted plugin as the list shows it.
type pluginInfo struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Type    bundle.Type   `json:"type"`
	Version string        `json:"version"`
	Backend *backendState `json:"backend,omitempty"` // absent without one
}

// backendState is the life of a backend. Reasons and PID are for administrators.
type backendState struct {
	State    loader.State `json:"state"`
	Restarts int          `json:"restarts"`
	Token    tokenState   `json:"token"`
	Reason   string       `json:"reason,omitempty"`
	PID      int          `json:"pid,omitempty"`
}

type tokenState struct {
	Injected bool   `json:"injected"`
	Reason   string `json:"reason,omitempty"`
}

func (a *API) plugins(w http.ResponseWriter, _ *http.Request, who host.Identity) error {
	isAdmin := who.Allows(host.ActionPluginsWrite, "")
	return answer(w, http.StatusOK, mapped(a.loaded.Plugins(), func(p *loader.Plugin) pluginInfo {
		m := p.Bundle().Metadata
		info := pluginInfo{ID: m.ID, Name: m.Name, Type: m.Type, Version: m.Info.Version}
		if m.Backend {
			s := p.Status()
			info.Backend = &backendState{State: s.State, Restarts: s.Restarts, Token: tokenState{Injected: s.Token.Injected}}
			if isAdmin {
				info.Backend.Reason, info.Backend.PID, info.Backend.Token.Reason = s.Reason, s.PID, s.Token.Reason
			}
		}
		return info
	}))
}

// pluginFault is a plugin that is not mounted, or a backend that does not run.
type pluginFault struct {
	Code     string `json:"errorCode"`
	PluginID string `json:"pluginId"`
	Path     string `json:"path"`
	Reason   string `json:"reason"`
}

// pluginErrors lists what could not be mounted and which backends do not run.
func (a *API) pluginErrors(w http.ResponseWriter, _ *http.Request, _ host.Identity) error {
	faults := mapped(a.loaded.Faults(), func(f bundle.Fault) pluginFault {
		return pluginFault{string(f.Code), f.PluginID, filepath.ToSlash(f.Path), f.Reason}
	})
	for _, p := range a.loaded.Plugins() {
		if s := p.Status(); s.Reason != "" {
			faults = append(faults, pluginFault{"backend-" + string(s.State), p.ID(), filepath.ToSlash(p.Bundle().Dir), s.Reason})
		}
	}
	return answer(w, http.StatusOK, faults)
}

// plugin returns the plugin that the path names.
func (a *API) plugin(r *http.Request) (*loader.Plugin, error) {
	p, ok := a.loaded.Plugin(r.PathValue("id"))
	if !ok {
		return nil, host.NotFound("Plugin")
	}
	return p, nil
}

// settings are what a plugin is called with: those of an app, or of a data source.
type settings struct {
	app        *host.AppSettings
	dataSource *host.DataSource
}

// contextOf says to a plugin on whose behalf it is called.
func contextOf(p *loader.Plugin, who host.Identity, s settings) sdk.Context {
	m := p.Bundle().Metadata
	c := sdk.Context{
		OrgID: who.OrgID, PluginID: m.ID, PluginVersion: m.Info.Version,
		User: &sdk.User{Login: who.Login, Name: who.Login},
	}
	if who.Role != host.RoleNone {
		c.User.Role = who.Role.String()
	}
	if app := s.app; app != nil {
		c.App = &sdk.App{Settings: sdk.Settings{JSON: app.JSON, Secrets: app.Secrets, Updated: app.Updated}}
	}
	if d := s.dataSource; d != nil {
		c.DataSource = &sdk.DataSource{
			Settings: sdk.Settings{JSON: d.JSON, Secrets: d.Secrets, Updated: d.Updated},
			ID:       d.ID, UID: d.UID, Name: d.Name, URL: d.URL, User: d.User, Database: d.Database,
			BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser,
		}
	}
	return c
}

// pluginContext is contextOf for a plugin that is called by its id: an app with the
// settings that were entered, a data source with none.
func (a *API) pluginContext(r *http.Request, p *loader.Plugin, who host.Identity) (sdk.Context, error) {
	var s settings
	switch p.Bundle().Metadata.Type {
	case bundle.TypeApp:
		app, err := a.openApp(r, who, p.ID())
		if err != nil {
			return sdk.Context{}, err
		}
		s.app = &app
	case bundle.TypeDatasource:
		d := implicitDataSource(p, who)
		s.dataSource = &d
	}
	return contextOf(p, who, s), nil
}

// pluginHealth is what a backend says of itself.
type pluginHealth struct {
	Status  sdk.HealthStatus `json:"status"`
	Message string           `json:"message"`
	Details json.RawMessage  `json:"details,omitempty"`
}

func (a *API) pluginHealth(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	c, err := a.pluginContext(r, p, who)
	if err != nil {
		return err
	}
	return a.checkHealth(w, r, p, c)
}

func (a *API) checkHealth(w http.ResponseWriter, r *http.Request, p *loader.Plugin, c sdk.Context) error {
	result, err := p.CheckHealth(r.Context(), &sdk.CheckHealthRequest{Context: c})
	if err != nil {
		return a.pluginError(w, r, err)
	}
	status := http.StatusOK
	if result.Status != sdk.HealthOK {
		status = http.StatusServiceUnavailable
	}
	details := result.Details
	if !json.Valid(details) {
		details = nil
	}
	return answer(w, status, pluginHealth{result.Status, result.Message, details})
}

func (a *API) pluginMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	var text []byte
	if err := p.Use(r.Context(), func(c *backend.Client) error {
		text, err = c.CollectMetrics(r.Context(), &sdk.CollectMetricsRequest{Context: sdk.Context{PluginID: p.ID()}})
		return err
	}); err != nil {
		return a.pluginError(w, r, err)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err = w.Write(text)
	return err
}

// maxResourceBody is the most bytes that are passed to a plugin's own endpoint.
const maxResourceBody = 16 << 20

func (a *API) pluginResource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.plugin(r)
	if err != nil {
		return err
	}
	c, err := a.pluginContext(r, p, who)
	if err != nil {
		return err
	}
	return a.callResource(w, r, p, c)
}

// callResource passes a request to the plugin's own endpoints and streams the
// answer back.
func (a *API) callResource(w http.ResponseWriter, r *http.Request, p *loader.Plugin, c sdk.Context) error {
	path, err := resourcePath(r)
	if err != nil {
		return err
	}
	body, err := readBody(w, r, maxResourceBody)
	if err != nil {
		return err
	}
	req := &backend.CallResourceRequest{
		Context: c, Method: r.Method, Path: path, Header: http.Header{}, Body: body,
		URL: (&url.URL{Path: path, RawQuery: r.URL.RawQuery}).String(),
	}
	copyHeaders(req.Header, r.Header, requestHeaders())
	req.Header.Set(requestIDHeader, w.(*response).requestID())
	started, hasBody := false, true
	err = p.CallResource(r.Context(), req, func(piece backend.CallResourceResponse) error {
		if !started {
			started = true
			copyHeaders(w.Header(), piece.Header, responseHeaders())
			// What a plugin answers must not act as a page of the host.
			w.Header().Set("Content-Security-Policy", "sandbox")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			if piece.Status < http.StatusOK || piece.Status > 599 {
				piece.Status = http.StatusBadGateway
			}
			w.WriteHeader(piece.Status)
			hasBody = piece.Status != http.StatusNoContent && piece.Status != http.StatusNotModified
		}
		if hasBody {
			if _, err := w.Write(piece.Body); err != nil {
				return err
			}
		}
		return http.NewResponseController(w).Flush()
	})
	switch {
	case err == nil && !started:
		return &host.Error{Category: host.ErrUnavailable, Message: "the plugin gave no answer"}
	case err == nil || !started:
		return a.pluginError(w, r, err)
	case r.Context().Err() == nil: // otherwise the client has left
		a.logError(w.(*response), r, err)
	}
	panic(http.ErrAbortHandler) // the answer has begun: only a cut connection tells the client
}

// resourcePath returns the part of the path that is the plugin's. What a plugin
// could take for another path than the host does is refused.
func resourcePath(r *http.Request) (string, error) {
	path := r.PathValue("path")
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." || segment == "." {
			return "", host.Invalid("path", "must not contain the segments . or ..")
		}
	}
	if strings.ContainsAny(path, "\\\x00") {
		return "", host.Invalid("path", "must not contain a backslash or NUL")
	}
	if !utf8.ValidString(path) || !utf8.ValidString(r.URL.RawQuery) {
		return "", host.Invalid("path", "is not valid UTF-8")
	}
	return path, nil
}

// requestHeaders are the ones a plugin gets to see: no cookies, no credentials.
func requestHeaders() []string {
	return []string{
		"Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "If-Match", "If-Modified-Since",
		"If-None-Match", "If-Unmodified-Since", "Range", "User-Agent",
	}
}

// responseHeaders are the ones a plugin may set: no cookies, nothing about the
// connection, nothing that the host decides.
func responseHeaders() []string {
	return []string{
		"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Range", "Content-Type", "ETag", "Expires", "Last-Modified", "Location", "Retry-After", "Vary",
	}
}

func copyHeaders(to, from http.Header, names []string) {
	for _, name := range names {
		for _, value := range from.Values(name) {
			to.Add(name, strings.ToValidUTF8(value, "\uFFFD")) // the wire carries nothing else
		}
	}
}

// pluginError answers with the error of a call to a plugin. A plugin's fault is
// not the host's: it is never a 500 of the host's own.
func (a *API) pluginError(w http.ResponseWriter, r *http.Request, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, backend.ErrUnsupported) {
		return &host.Error{Category: host.ErrNotFound, Message: "the plugin does not support this call"}
	}
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	a.logError(w.(*response), r, err)
	status := e.Status
	if status == http.StatusInternalServerError {
		status = http.StatusBadGateway
	}
	return answer(w, status, message{Message: e.Message, ID: "plugin." + string(e.Source)})
}
