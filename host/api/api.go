// Package api implements the HTTP API of the reference host: the table of routes with
// their permissions, authentication, request bodies, errors, request ids and the access
// log.
//
// It defines no rules of its own: package host determines what is valid and who may do
// what, and package store what exists. It responds to every client error with a 4xx
// status and a message that names the field. It does not listen: New returns a handler.
package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

// Options configure an API.
type Options struct {
	Store      *store.Store     // required; the caller closes it after the last request
	Logger     *slog.Logger     // for requests that failed, and errors; no log if nil
	Clock      func() time.Time // time.Now if nil
	Version    string           // of the service, as reported by /api/health
	Commit     string           // that the program was built from, as reported by /api/health; "" if unknown
	AppURL     string           // address of the host, as reported to frontends
	Toggles    []string         // enabled feature toggles, as reported to frontends
	Plugins    *loader.Loader   // mounted plugins, none if nil; the caller closes it
	FrameCells int              // values of the frames in a response; gate.MaxFrameCells if 0
	// Reload applies changes in the directory of a plugin; Plugins.ReloadPlugin if nil.
	Reload func(ctx context.Context, id string) error
	// Pages returns the handler of other paths, which may call the API for a request; nil responds 404.
	Pages func(api http.Handler) http.Handler

	// ReadOnly returns the provisioning file in which alone a data source can be changed; nil if all can be.
	ReadOnly func(uid string) (file string, ok bool)
	// ReadOnlyDashboard is ReadOnly for dashboards.
	ReadOnlyDashboard func(uid string) (file string, ok bool)

	// AllowedHosts are names and addresses that the Host header may have, in addition to loopback.
	// An unspecified address, such as 0.0.0.0, allows all addresses, and AnyHost allows everything.
	AllowedHosts []string
}

// API is the handler of the reference host.
type API struct {
	Options // completed

	passwords *host.Passwords
	codes     codes
	guard     guard
	metrics   *metrics
	proxy     *proxy.Proxy
	events    *events
	live      *live.Hub
	idleTime  time.Duration
	roleCache atomic.Pointer[pluginRoles]
	described func() (json.RawMessage, error) // the OpenAPI document, generated once
	pages     http.Handler                    // nil without a console
	mux       *http.ServeMux
}

// New returns the handler. It fails if the store is missing, if a route has no permission
// or if the source of randomness fails.
func New(o Options) (*API, error) {
	if o.Store == nil {
		return nil, errors.New("api: Options.Store is required")
	}
	o.Plugins = cmp.Or(o.Plugins, new(loader.Loader))
	if o.Reload == nil {
		o.Reload = o.Plugins.ReloadPlugin
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	for _, f := range []*func(string) (string, bool){&o.ReadOnly, &o.ReadOnlyDashboard} {
		if *f == nil {
			*f = func(string) (string, bool) { return "", false }
		}
	}
	o.FrameCells = cmp.Or(o.FrameCells, gate.MaxFrameCells)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	a := &API{Options: o, guard: newGuard(o.AllowedHosts), metrics: newMetrics(), events: newEvents(), idleTime: gate.IdleTimeout,
		passwords: host.NewPasswords()}
	a.proxy = proxy.New(proxy.Options{Clock: o.Clock,
		ReadBody: func(w http.ResponseWriter, r *http.Request) ([]byte, error) {
			return readBody(w, r, gate.MaxPluginBody)
		}})
	a.live = live.New(live.Options{Open: a.openChannel, Logger: o.Logger})
	a.described = sync.OnceValues(a.openAPI)
	if o.Pages != nil {
		a.pages = o.Pages(a)
	}
	var err error
	if a.mux, err = a.newMux(a.Routes()); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	return a, nil
}

// Close stops background work. Call it after the last request.
func (a *API) Close() error { return errors.Join(a.live.Close(), a.proxy.Close()) }
