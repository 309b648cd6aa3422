package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slipway-dev/slipway/host"
)

type health struct {
	Database string `json:"database"`
	Message  string `json:"message,omitempty"` // why the database is not "ok"
	Version  string `json:"version"`
	Commit   string `json:"commit"`
}

func (h health) status() int {
	if h.Database != "ok" {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

func (a *API) health(ctx context.Context, _ host.Identity, _ none) (health, error) {
	if err := a.Store.Ping(ctx); err != nil {
		if ctx.Err() == nil { // otherwise, the client has left
			a.Logger.ErrorContext(ctx, "the database is not usable", "error", err)
		}
		reason := ""
		if refusal, ok := errors.AsType[*host.Error](err); ok {
			reason = refusal.Error()
		}
		return health{"failing", reason, a.Version, a.Commit}, nil
	}
	return health{"ok", "", a.Version, a.Commit}, nil
}

func (a *API) serveOpenAPI(context.Context, host.Identity, none) (json.RawMessage, error) {
	return a.described()
}

// avatar draws a disc whose color is derived from the hash in avatarUrl.
func (a *API) avatar(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	hash := r.PathValue("hash")
	if len(hash) != avatarLength {
		return host.NotFound("Avatar")
	}
	hue, err := strconv.ParseUint(hash[:4], 16, 16)
	if err != nil {
		return host.NotFound("Avatar")
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, err = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="hsl(%d 60%% 45%%)"/></svg>`, hue%360)
	return err
}

// serveMetrics serves the metrics of the host and those of the plugins that are mounted now.
func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	all := append(prometheus.Gatherers{a.metrics.registry}, a.Plugins.Metrics()...)
	promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
