package loader

import (
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// figures are the metrics of one plugin, in a registry of their own: they end with the plugin.
type figures struct {
	registry  *prometheus.Registry
	durations *prometheus.HistogramVec
	errors    *prometheus.CounterVec
}

func newFigures(p *Plugin) *figures {
	f := &figures{
		registry: prometheus.NewRegistry(),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "slipway_plugin_call_duration_seconds", Help: "Duration of calls to a plugin by kind.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"kind"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "slipway_plugin_call_errors_total", Help: "Number of failed calls to a plugin by kind and source of the error.",
		}, []string{"kind", "source"}),
	}
	prometheus.WrapRegistererWith(prometheus.Labels{"plugin": p.id}, f.registry).MustRegister(f.durations, f.errors,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "slipway_backend_restarts_total", Help: "Number of times a backend exited unexpectedly.",
		}, func() float64 { return float64(p.Status().Restarts) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "slipway_backend_running", Help: "1 if a backend is running, 0 if not.",
		}, func() float64 {
			if p.Status().State == StateRunning {
				return 1
			}
			return 0
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "slipway_plugin_calls_running", Help: "Number of calls to a plugin in progress.",
		}, func() float64 { return float64(len(p.calls)) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "slipway_plugin_log_records_dropped_total",
			Help: "Number of log records of a plugin that were dropped because it logged too much.",
		}, func() float64 {
			_, dropped := p.Logs()
			return float64(dropped)
		}),
	)
	return f
}

// called records the end of a call of a kind. failed is "" if it did not fail.
func (f *figures) called(kind string, took time.Duration, failed sdk.Source) {
	f.durations.WithLabelValues(kind).Observe(took.Seconds())
	for _, source := range []sdk.Source{sdk.SourcePlugin, sdk.SourceDownstream} {
		n := f.errors.WithLabelValues(kind, string(source)) // 0 until the first error
		if source == failed {
			n.Inc()
		}
	}
}

// Metrics returns the metrics of the plugins with a backend.
func (l *Loader) Metrics() (all prometheus.Gatherers) {
	for _, p := range l.Plugins() {
		if p.Status().State != StateNoBackend {
			all = append(all, p.figures.registry)
		}
	}
	return all
}

// sourceOf returns the source of the error of a call, or "" if it is not an error of the
// plugin: the caller left, or the plugin does not support the call.
func sourceOf(err error, isCanceled bool) sdk.Source {
	switch e, ok := errors.AsType[*sdk.Error](err); {
	case err == nil, isCanceled, errors.Is(err, backend.ErrUnsupported):
		return ""
	case ok && e.Source != "":
		return e.Source
	}
	return sdk.SourcePlugin
}

// sourceOfResponses returns the source of errors in responses: the plugin if one is its own.
func sourceOfResponses(responses sdk.QueryDataResponse) (source sdk.Source) {
	for _, r := range responses {
		switch sourceOf(r.Err, false) {
		case sdk.SourcePlugin:
			return sdk.SourcePlugin
		case sdk.SourceDownstream:
			source = sdk.SourceDownstream
		}
	}
	return source
}

// sourceOfStatus returns the source of the error that the status of a resource reports, or "".
func sourceOfStatus(status int) sdk.Source {
	switch {
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return sdk.SourceDownstream
	case status >= http.StatusInternalServerError:
		return sdk.SourcePlugin
	}
	return ""
}
