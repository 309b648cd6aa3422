package api

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
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

// backends collects the figures of the plugins at each scrape.
type backends struct{ plugins *loader.Loader }

// Describe implements prometheus.Collector. It describes nothing, which makes the
// collector unchecked: the descriptions are those of the metrics.
func (b backends) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (b backends) Collect(out chan<- prometheus.Metric) {
	for _, p := range b.plugins.Plugins() {
		s := p.Status()
		if s.State == loader.StateNoBackend {
			continue
		}
		value := func(name, help string, kind prometheus.ValueType, v float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(descriptionOf(name, help, labels), kind, v, valuesOf(p, labels)...)
		}
		running := 0.0
		if s.State == loader.StateRunning {
			running = 1
		}
		value("slipway_backend_restarts_total", "Number of times a backend exited unexpectedly.", prometheus.CounterValue, float64(s.Restarts))
		value("slipway_backend_running", "1 if a backend is running, 0 if not.", prometheus.GaugeValue, running)
		f := p.Figures()
		if u := f.Usage; u.Memory > 0 {
			value("slipway_backend_memory_bytes", "Resident memory of the process of a backend.", prometheus.GaugeValue, float64(u.Memory))
			value("slipway_backend_cpu_seconds_total", "CPU time of the process of a backend since its start.", prometheus.CounterValue, u.CPU.Seconds())
		}
		_, dropped := p.Logs()
		value("slipway_plugin_log_records_dropped_total", "Number of log records of a plugin that were dropped because it logged too much.", prometheus.CounterValue, float64(dropped))
		value("slipway_plugin_calls_running", "Number of calls to a plugin in progress.", prometheus.GaugeValue, float64(f.Running))
		for _, c := range f.Calls {
			kind := []string{"kind", string(c.Call)}
			out <- prometheus.MustNewConstHistogram(descriptionOf("slipway_plugin_call_duration_seconds", "Duration of calls to a plugin by kind.", kind),
				c.Durations.Count(), c.Durations.Sum.Seconds(), c.Durations.Cumulative(), valuesOf(p, kind)...)
			for source, n := range map[sdk.Source]uint64{sdk.SourcePlugin: c.Errors.Plugin, sdk.SourceDownstream: c.Errors.Downstream} {
				value("slipway_plugin_call_errors_total", "Number of failed calls to a plugin by kind and source of the error.", prometheus.CounterValue, float64(n), "kind", string(c.Call), "source", string(source))
			}
		}
	}
}

// descriptionOf describes a metric with the label plugin and others, which are pairs of a
// name and a value.
func descriptionOf(name, help string, labels []string) *prometheus.Desc {
	names := []string{"plugin"}
	for pair := range slices.Chunk(labels, 2) {
		names = append(names, pair[0])
	}
	return prometheus.NewDesc(name, help, names, nil)
}

// valuesOf returns the values of the labels of a metric.
func valuesOf(p *loader.Plugin, labels []string) []string {
	values := []string{p.ID()}
	for pair := range slices.Chunk(labels, 2) {
		values = append(values, pair[1])
	}
	return values
}

func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	a.metrics.handler.ServeHTTP(w, r)
	return nil
}
