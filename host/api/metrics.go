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
	"github.com/slipway-dev/slipway/loader"
)

// metrics are the metrics of the host, in a registry of their own.
type metrics struct {
	handler  http.Handler
	requests *prometheus.HistogramVec
	running  prometheus.Gauge
}

func newMetrics(plugins *loader.Loader) *metrics {
	registry := prometheus.NewRegistry()
	m := &metrics{
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slipway_http_request_duration_seconds", Help: "Duration of requests by method, route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "slipway_http_requests_running", Help: "Number of requests in progress.",
		}),
	}
	registry.MustRegister(m.requests, m.running, backends{plugins},
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

// backends collects the states of the backends at each scrape.
type backends struct{ plugins *loader.Loader }

func (b backends) restarts() *prometheus.Desc {
	return prometheus.NewDesc("slipway_backend_restarts_total", "Number of times a backend exited by itself.", []string{"plugin"}, nil)
}

func (b backends) isRunning() *prometheus.Desc {
	return prometheus.NewDesc("slipway_backend_running", "1 if a backend is running, 0 if not.", []string{"plugin"}, nil)
}

// Describe implements prometheus.Collector.
func (b backends) Describe(out chan<- *prometheus.Desc) {
	out <- b.restarts()
	out <- b.isRunning()
}

// Collect implements prometheus.Collector.
func (b backends) Collect(out chan<- prometheus.Metric) {
	for _, p := range b.plugins.Plugins() {
		s := p.Status()
		if s.State == loader.StateNoBackend {
			continue
		}
		running := 0.0
		if s.State == loader.StateRunning {
			running = 1
		}
		out <- prometheus.MustNewConstMetric(b.restarts(), prometheus.CounterValue, float64(s.Restarts), p.ID())
		out <- prometheus.MustNewConstMetric(b.isRunning(), prometheus.GaugeValue, running, p.ID())
	}
}

func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	a.metrics.handler.ServeHTTP(w, r)
	return nil
}
