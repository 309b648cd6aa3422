package api

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slipway-dev/slipway/host"
)

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

// serveMetrics serves the metrics of the host and those of the plugins that are mounted now.
func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	all := append(prometheus.Gatherers{a.metrics.registry}, a.loaded.Metrics()...)
	promhttp.HandlerFor(all, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
