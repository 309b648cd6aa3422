package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const requestIDHeader = "X-Request-Id"

// response records what the log needs, and gives the client a deadline for each part
// of the body. Handlers can still flush and stream through http.ResponseController.
type response struct {
	http.ResponseWriter
	status int // 0 until the response has begun
	who    host.Identity
	idle   *gate.Idle
}

// Unwrap is used by http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader records the final status.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write records that the response has begun.
func (w *response) Write(p []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.idle.Write(w.ResponseWriter, p)
}

// FlushError is used by http.ResponseController.
func (w *response) FlushError() error { return w.idle.Flush() }

func (w *response) requestID() string { return w.Header().Get(requestIDHeader) }

// requestID returns the id that the caller sent if it is safe to log, or else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(requestIDHeader); host.IsUID(id) {
		return id
	}
	return host.NewUID()
}

// ServeHTTP serves a request with a request id and logs it.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := a.Clock()
	out := &response{ResponseWriter: w, idle: gate.NewIdle(w, r, a.idleTime)}
	defer out.idle.End(r)
	out.Header().Set(requestIDHeader, requestID(r))
	setSecurityHeaders(out.Header())
	if len(r.TransferEncoding) > 0 { // a proxy may have used a Content-Length that net/http ignored (RFC 9112, section 6.1)
		out.Header().Set("Connection", "close")
	}
	a.metrics.running.Inc()
	defer a.metrics.running.Dec()
	defer func() {
		value := recover()
		if value != nil && value != http.ErrAbortHandler {
			a.Logger.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", out.requestID()),
				slog.String("route", r.Pattern), slog.Any("panic", value), slog.String("stack", string(debug.Stack())))
			if out.status == 0 {
				a.fail(out, r, errors.New("panic"))
				value = nil
			}
		}
		took := a.Clock().Sub(start)
		a.metrics.observe(r, out.status, took)
		a.logFailed(out, r, took)
		if value != nil { // the response has begun: abort it so that the client notices
			panic(http.ErrAbortHandler)
		}
	}()
	if err := a.guard.check(r); err != nil {
		a.Logger.LogAttrs(r.Context(), slog.LevelWarn, "request rejected", slog.String("request_id", out.requestID()),
			slog.String("remote", r.RemoteAddr), slog.Any("reason", err))
		a.fail(out, r, err)
		return
	}
	a.mux.ServeHTTP(out, r)
}

// logFailed logs a request that failed, without its query or headers, which may contain secrets. As in existing
// hosts, the log has no others: changes have audit records, and metrics count all.
func (a *API) logFailed(w *response, r *http.Request, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case w.status < http.StatusBadRequest:
		return
	case w.status >= http.StatusInternalServerError:
		level = slog.LevelWarn
	}
	a.Logger.LogAttrs(r.Context(), level, "request",
		slog.String("request_id", w.requestID()),
		slog.String("method", r.Method), slog.String("path", r.URL.EscapedPath()), slog.String("route", r.Pattern),
		slog.Int("status", w.status), slog.Duration("took", took),
		slog.String("remote", r.RemoteAddr), slog.String("kind", string(w.who.Kind)), slog.String("login", w.who.Login))
}

// metrics are the metrics of the host, in a registry of their own.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	running  prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slipway_http_request_duration_seconds", Help: "Duration of requests by method, route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "slipway_http_requests_running", Help: "Number of requests in progress.",
		}),
	}
	m.registry.MustRegister(m.requests, m.running,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// observe counts a request. All unknown methods share a label, as do all paths without a
// route, so that callers cannot add labels.
func (m *metrics) observe(r *http.Request, status int, took time.Duration) {
	method := r.Method
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(method, cmp.Or(r.Pattern, "none"), strconv.Itoa(cmp.Or(status, http.StatusOK))).Observe(took.Seconds())
}

func respond(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has left
	return nil
}

// message is the body of errors and of responses without other content.
type message struct {
	Message string `json:"message"`
	ID      string `json:"messageId,omitempty"`
	Status  string `json:"status,omitempty"` // the ID of a stale version, where published clients read it
}

// mapped returns the results of f for all elements, never nil.
func mapped[S, T any](in []S, f func(S) T) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
