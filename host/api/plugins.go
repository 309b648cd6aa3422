package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/urlpath"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type pluginPath struct {
	ID string `path:"id" noun:"Plugin"`
}

func (p pluginPath) pluginID() string { return p.ID }

// ofPlugin is call for a function of the plugin in the path.
func ofPlugin[In interface{ pluginID() string }, Out any](a *API,
	f func(context.Context, host.Identity, *loader.Plugin, In) (Out, error)) handler {
	return call(func(ctx context.Context, who host.Identity, in In) (out Out, err error) {
		p, err := a.plugin(in.pluginID())
		if err != nil {
			return out, err
		}
		return f(ctx, who, p, in)
	})
}

func (a *API) plugins(ctx context.Context, who host.Identity, in struct {
	Type      string `query:"type"`
	IsEnabled bool   `query:"enabled"` // only those
	pageQuery
}) ([]hostapi.Plugin, error) {
	all := []hostapi.Plugin{}
	for _, p := range a.Plugins.Plugins() {
		described, err := a.describe(ctx, who, p)
		if err != nil {
			return nil, err
		}
		if (in.Type == "" || in.Type == described.Type) && (described.Enabled || !in.IsEnabled) {
			all = append(all, described)
		}
	}
	return store.Cut(all, in.longPage()), nil
}

// rawOfPlugin is raw for a function of the plugin in the path.
func (a *API) rawOfPlugin(f func(w http.ResponseWriter, r *http.Request, who host.Identity, p *loader.Plugin) error) handler {
	return raw(func(w http.ResponseWriter, r *http.Request, who host.Identity) error {
		p, err := a.plugin(r.PathValue("id"))
		if err != nil {
			return err
		}
		return f(w, r, who, p)
	})
}

// manages reports whether the caller may see the faults of a plugin, or those of none if the id is "".
func manages(who host.Identity, pluginID string) bool {
	return who.Allows(access.PluginsWrite, "plugins:id:"+pluginID)
}

func (a *API) describe(ctx context.Context, who host.Identity, p *loader.Plugin) (hostapi.Plugin, error) {
	about, _, err := a.about(ctx, who, p)
	described := hostapi.Plugin{PluginAbout: about, Version: about.Info.Version}
	if p.Bundle().Metadata.Backend {
		s := p.Status()
		described.Backend = &hostapi.Backend{State: string(s.State), Restarts: s.Restarts, Token: hostapi.BackendToken{Injected: s.Token.Injected}}
		if manages(who, p.ID()) {
			described.Backend.Reason, described.Backend.PID, described.Backend.Token.Reason = s.Reason, s.PID, s.Token.Reason
		}
	}
	return described, err
}

func (a *API) pluginErrors(_ context.Context, who host.Identity, in pageQuery) ([]hostapi.PluginProblem, error) {
	all := slices.DeleteFunc(slices.Concat(a.Plugins.Problems(), a.pluginRoles().refused), func(f bundle.Fault) bool {
		return !manages(who, f.PluginID)
	})
	return mapped(store.Cut(all, in.longPage()), ProblemOf), nil
}

// ProblemOf describes a fault.
func ProblemOf(f bundle.Fault) hostapi.PluginProblem {
	return hostapi.PluginProblem{Code: string(f.Code), Stage: string(f.Code.Stage()), PluginID: f.PluginID, Path: filepath.ToSlash(f.Path),
		Line: f.Line, Column: f.Column, Reason: f.Reason, Help: f.Help(), Since: f.Since, Stderr: f.Stderr}
}

func (a *API) plugin(id string) (*loader.Plugin, error) {
	p, ok := a.Plugins.Plugin(id)
	if !ok {
		return nil, host.NotFound("Plugin")
	}
	return p, nil
}

// settingsFor returns the settings of a plugin called by its id: an app has stored ones, a data source none.
func (a *API) settingsFor(ctx context.Context, p *loader.Plugin, who host.Identity) (s settings, err error) {
	switch p.Bundle().Metadata.Type {
	case bundle.TypeApp:
		app, err := a.openApp(ctx, who, p.ID())
		if err != nil {
			return s, err
		}
		s.app = &app
	case bundle.TypeDatasource:
		d := implicitDataSource(p, who)
		s.dataSource = &d
	}
	return s, nil
}

type checkedHealth struct {
	hostapi.Health
	failure int // status if it is not OK: existing clients expect another one for a data source than for a plugin
}

func (h checkedHealth) status() int {
	if h.Status != string(sdk.HealthOK) {
		return h.failure
	}
	return http.StatusOK
}

func (a *API) pluginHealth(ctx context.Context, who host.Identity, p *loader.Plugin, _ pluginPath) (checkedHealth, error) {
	s, err := a.settingsFor(ctx, p, who)
	if err != nil {
		return checkedHealth{}, err
	}
	return checkHealth(ctx, p, who, s, http.StatusServiceUnavailable)
}

func checkHealth(ctx context.Context, p *loader.Plugin, who host.Identity, s settings, failure int) (checkedHealth, error) {
	result, err := p.CheckHealth(ctx, &sdk.CheckHealthRequest{Context: contextOf(p, who, s), Headers: headersFor(ctx, who, p, s.dataSource)})
	if err != nil {
		return checkedHealth{}, orUnsupported(err)
	}
	details := result.Details
	if !json.Valid(details) {
		details = nil
	}
	return checkedHealth{hostapi.Health{Status: string(result.Status), Message: result.Message, Details: details}, failure}, nil
}

func (a *API) pluginMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity, p *loader.Plugin) error {
	text, err := p.CollectMetrics(r.Context(), &sdk.CollectMetricsRequest{Context: sdk.Context{PluginID: p.ID()}})
	if errors.Is(err, backend.ErrUnsupported) && p.Bundle().Metadata.Backend {
		err = nil // no metrics, as in existing hosts: to a scraper, 404 would be a failure
	}
	if err != nil {
		return orUnsupported(err)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err = w.Write(text)
	return err
}

func (a *API) pluginResource(w http.ResponseWriter, r *http.Request, who host.Identity, p *loader.Plugin) error {
	s, err := a.settingsFor(r.Context(), p, who)
	if err != nil {
		return err
	}
	return callResource(w, r, p, who, s)
}

// callResource calls a resource of a plugin and streams the response back.
func callResource(w http.ResponseWriter, r *http.Request, p *loader.Plugin, who host.Identity, s settings) error {
	path, err := resourcePath(r)
	if err != nil {
		return err
	}
	body, err := readBody(w, r, gate.MaxPluginBody)
	if err != nil {
		return err
	}
	req := &backend.CallResourceRequest{
		Context: contextOf(p, who, s), Method: r.Method, Path: path, Header: resourceHeader(r, who, p, s.dataSource), Body: body,
		URL: (&url.URL{Path: path, RawQuery: r.URL.RawQuery}).String(),
	}
	req.Header.Set(requestIDHeader, w.(*response).requestID())
	started, hasBody := false, true
	err = p.CallResource(r.Context(), req, func(piece backend.CallResourceResponse) error {
		if !started {
			if err := setHeaders(w.Header(), piece); err != nil {
				return err
			}
			started = true
			// The response must not act as a page of the host.
			w.Header().Set("Content-Security-Policy", "sandbox; "+frameAncestors)
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
	if err == nil && !started {
		return &host.Error{Category: host.ErrUnavailable, Message: "the plugin sent no response"}
	}
	return orUnsupported(err)
}

// resourcePath returns the plugin's part of the path. It rejects one that a plugin could misread.
func resourcePath(r *http.Request) (string, error) {
	path := r.PathValue("path")
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			continue
		}
		if err := urlpath.CheckName(segment); err != nil {
			return "", host.Invalid("path", "is invalid: a segment %v", err)
		}
	}
	if !utf8.ValidString(r.URL.RawQuery) {
		return "", host.Invalid("query", "must be valid UTF-8")
	}
	return path, nil
}

// orUnsupported replaces backend.ErrUnsupported with a host.ErrNotFound.
func orUnsupported(err error) error {
	if errors.Is(err, backend.ErrUnsupported) {
		return &host.Error{Category: host.ErrNotFound, Message: "the plugin does not support this call"}
	}
	return err
}
