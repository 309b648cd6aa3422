// Package metrics exports the Prometheus metrics of a plugin to its host. It uses a
// registry that the author creates, not the global one, so that a test can run any
// number of plugins.
//
//	registry := prometheus.NewRegistry()
//	sdk.Serve(metrics.Instrument(sdk.DataSources(newSource).Plugin(), registry))
//
// The key "metrics" in plugin.json is about something else: it says that a data source has metric
// queries, so that panels offer it. A backend needs no key to export its own metrics.
package metrics

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/sdk"
)

// Collect returns a function that returns the metrics of g in the text format.
func Collect(g prometheus.Gatherer) sdk.CollectMetricsFunc {
	return func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) {
		families, err := g.Gather()
		if err != nil {
			return nil, fmt.Errorf("gather metrics: %w", err)
		}
		var text bytes.Buffer
		encoder := expfmt.NewEncoder(&text, expfmt.NewFormat(expfmt.TypeTextPlain))
		for _, f := range families {
			if err := encoder.Encode(f); err != nil {
				return nil, fmt.Errorf("encode metrics: %w", err)
			}
		}
		return text.Bytes(), nil
	}
}

// Instrument returns p with CollectMetrics set to export registry. It registers the
// metrics of the Go runtime and the process, and
//
//	plugin_requests_total{endpoint,code}         number of calls by gRPC code
//	plugin_request_duration_seconds{endpoint}    duration of calls; of a stream, from its start to its end
//
// It panics if one of them is registered already.
func Instrument(p sdk.Plugin, registry *prometheus.Registry) sdk.Plugin {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "plugin_requests_total", Help: "Number of calls by endpoint and gRPC code.",
	}, []string{"endpoint", "code"})
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "plugin_request_duration_seconds", Help: "Duration of calls by endpoint.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 9), // 1 ms to 65 s
	}, []string{"endpoint"})
	registry.MustRegister(total, duration, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	count := func(method string, start time.Time, err error) {
		endpoint := method[strings.LastIndexByte(method, '/')+1:]
		total.WithLabelValues(endpoint, status.Code(err).String()).Inc()
		duration.WithLabelValues(endpoint).Observe(time.Since(start).Seconds())
	}
	p.CollectMetrics = Collect(registry)
	p.ServerOptions = append(p.ServerOptions,
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			start := time.Now()
			response, err := next(ctx, req)
			count(info.FullMethod, start, err)
			return response, err
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			start := time.Now()
			err := next(srv, ss)
			count(info.FullMethod, start, err)
			return err
		}))
	return p
}
