package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/builtin"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/live"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

// Options configure an API.
type Options struct {
	Store  *store.Store // required; the caller closes it after the last request
	Logger *slog.Logger // for accesses and errors; no log if nil
	// RequestLevel is the level at which successful requests are logged; Info if 0.
	RequestLevel slog.Level
	Clock        func() time.Time // time.Now if nil
	Rand         io.Reader        // safe for concurrent use; crypto/rand if nil
	Version      string           // of the service, as reported by /api/health
	Commit       string           // that the program was built from, as reported by /api/health; "" if unknown
	AppURL       string           // address of the host, as reported to frontends
	Toggles      []string         // enabled feature toggles, as reported to frontends
	Plugins      *loader.Loader   // mounted plugins, none if nil; the caller closes it
	// Reload applies changes in the directory of a plugin; Plugins.ReloadPlugin if nil.
	Reload func(ctx context.Context, id string) error
	// Pages returns the handler of paths that are not in the route table; nil responds 404.
	// It may call the API with the credentials of a request.
	Pages func(api http.Handler) http.Handler

	// ReadOnly reports whether a data source comes from a provisioning file, and returns that
	// file: it can only be changed there. If ReadOnly is nil, all data sources can be changed.
	ReadOnly func(uid string) (file string, ok bool)
	// ReadOnlyDashboard is ReadOnly for dashboards.
	ReadOnlyDashboard func(uid string) (file string, ok bool)

	// AllowedHosts are the names and addresses that the Host header of a request may
	// have, in addition to those of loopback. An unspecified address, such as 0.0.0.0, allows
	// all addresses, and AnyHost allows everything.
	AllowedHosts []string
}

// API is the handler of the reference host.
type API struct {
	store *store.Store
	log   *slog.Logger

	requestLevel slog.Level // of successful requests
	clock        func() time.Time
	random       io.Reader
	version      string
	commit       string
	appURL       string
	toggles      []string
	loaded       *loader.Loader
	reload       func(ctx context.Context, id string) error
	passwords    *host.Passwords
	logins       *throttle
	codes        codes
	guard        guard
	metrics      *metrics
	proxy        *proxy.Proxy
	events       *events
	live         *live.Hub
	gate         gate.Gate
	idleTime     time.Duration
	builtin      *builtin.Source
	roleCache    atomic.Pointer[pluginRoles]
	readOnly     func(uid string) (file string, ok bool)
	fixed        func(uid string) (file string, ok bool) // readOnly for dashboards
	described    func() (json.RawMessage, error)         // the OpenAPI document, generated once
	pages        http.Handler                            // nil without a console
	mux          *http.ServeMux
}

// New returns the handler. It fails if the store is missing, if a route has no permission
// or if the source of randomness fails.
func New(o Options) (*API, error) {
	if o.Store == nil {
		return nil, errors.New("api: Options.Store is required")
	}
	a := &API{store: o.Store, log: o.Logger, requestLevel: o.RequestLevel, clock: o.Clock, version: o.Version, commit: o.Commit, appURL: o.AppURL, toggles: o.Toggles, loaded: o.Plugins,
		idleTime: gate.IdleTimeout, random: cmp.Or[io.Reader](o.Rand, rand.Reader), logins: newThrottle(), guard: newGuard(o.AllowedHosts), metrics: newMetrics(),
		events: newEvents(), readOnly: o.ReadOnly, fixed: o.ReadOnlyDashboard}
	a.builtin = builtin.New(a.random)
	if a.reload = o.Reload; a.reload == nil {
		a.reload = o.Plugins.ReloadPlugin
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	for _, f := range []*func(string) (string, bool){&a.readOnly, &a.fixed} {
		if *f == nil {
			*f = func(string) (string, bool) { return "", false }
		}
	}
	if a.clock == nil {
		a.clock = time.Now
	}
	a.proxy = proxy.New(proxy.Options{Clock: a.clock,
		ReadBody: func(w http.ResponseWriter, r *http.Request) ([]byte, error) {
			return readBody(w, r, gate.MaxPluginBody)
		}})
	a.live = live.New(live.Options{Open: a.openChannel, Logger: a.log})
	a.described = sync.OnceValues(a.openAPI)
	var err error
	if a.passwords, err = host.NewPasswords(a.random); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	if o.Pages != nil {
		a.pages = o.Pages(a)
	}
	if a.mux, err = a.newMux(a.Routes()); err != nil {
		return nil, fmt.Errorf("api: %w", err)
	}
	return a, nil
}

// Close stops background work. Call it after the last request.
func (a *API) Close() error { return errors.Join(a.live.Close(), a.proxy.Close()) }

// Routes returns the whole route table.
func (a *API) Routes() []Route {
	return slices.Concat(
		a.systemRoutes(),
		a.userRoutes(),
		a.sessionRoutes(),
		a.playlistRoutes(),
		a.folderRoutes(),
		a.dashboardRoutes(),
		a.keyRoutes(),
		a.accountRoutes(),
		a.roleRoutes(),
		a.pluginRoutes(),
		a.controlRoutes(),
		a.eventRoutes(),
		a.observabilityRoutes(),
		a.assetRoutes(),
		a.dataSourceRoutes(),
		a.dataSourceIDRoutes(),
		a.pluginDashboardRoutes(),
		a.frontendRoutes(),
		a.liveRoutes(),
		a.proxyRoutes(),
	)
}

// ServeHTTP serves a request with a request id and logs it.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := a.clock()
	out := &response{ResponseWriter: w, idle: gate.NewIdle(w, r, a.idleTime)}
	defer out.idle.End(r)
	out.Header().Set(requestIDHeader, a.requestID(r))
	setSecurityHeaders(out.Header())
	if len(r.TransferEncoding) > 0 { // a proxy may have used a Content-Length that net/http ignored (RFC 9112, section 6.1)
		out.Header().Set("Connection", "close")
	}
	a.metrics.running.Inc()
	defer a.metrics.running.Dec()
	defer func() {
		value := recover()
		if value != nil && value != http.ErrAbortHandler {
			a.logPanic(out, r, value)
			if out.status == 0 {
				a.fail(out, r, errors.New("panic"))
				value = nil
			}
		}
		took := a.clock().Sub(start)
		a.metrics.observe(r, out.status, took)
		a.logAccess(out, r, took)
		if value != nil { // the response has begun: abort it so that the client notices
			panic(http.ErrAbortHandler)
		}
	}()
	if err := a.guard.check(r); err != nil {
		a.logRejected(out, r, err)
		a.fail(out, r, err)
		return
	}
	a.mux.ServeHTTP(out, r)
}

func (a *API) logPanic(w *response, r *http.Request, value any) {
	a.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", w.requestID()),
		slog.String("route", r.Pattern), slog.Any("panic", value), slog.String("stack", string(debug.Stack())))
}

// logAccess logs a request without its query or headers, which may contain secrets.
func (a *API) logAccess(w *response, r *http.Request, took time.Duration) {
	level := a.requestLevel
	switch {
	case w.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	case w.status >= http.StatusBadRequest:
		level = slog.LevelInfo
	}
	if !a.log.Enabled(r.Context(), level) || r.URL.Path == "/api/health" && level == a.requestLevel {
		return // load balancers ask for the health every few seconds
	}
	a.log.LogAttrs(r.Context(), level, "request",
		slog.String("request_id", w.requestID()),
		slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()), slog.String("route", r.Pattern),
		slog.Int("status", cmp.Or(w.status, http.StatusOK)), slog.Int64("bytes", w.bytes), slog.Duration("took", took),
		slog.String("remote", r.RemoteAddr), slog.String("kind", string(w.who.Kind)), slog.String("login", w.who.Login))
}
