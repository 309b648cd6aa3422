// Package tracing records the calls of a plugin, and the requests that it sends, as
// OpenTelemetry spans in the host's traces. A plugin that does not use it still
// forwards the host's traces to upstream services; see [sdk.TraceHeaders].
//
//	func main() {
//		traces, err := tracing.FromEnv(context.Background(), "acme-shop-datasource")
//		if err != nil {
//			slog.Error("set up tracing", "error", err)
//			os.Exit(1)
//		}
//		sdk.Serve(traces.Instrument(sdk.DataSources(newSource).Plugin()))
//	}
package tracing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/sdk"
)

// Environment variables that FromEnv reads with [sdk.Env].
const (
	EnvAddress      = "SVC_INSTANCE_OTLP_ADDRESS"       // host:port of an OTLP collector that speaks gRPC; if empty, no spans are recorded
	EnvSamplerType  = "SVC_INSTANCE_OTLP_SAMPLER_TYPE"  // const (the default) or probabilistic
	EnvSamplerParam = "SVC_INSTANCE_OTLP_SAMPLER_PARAM" // the share of traces to keep, from 0 to 1; default 1
)

// flushTimeout is for the last spans, out of the 2 s that a plugin has to stop.
const flushTimeout = time.Second

// Tracing records spans. It sets no global state.
type Tracing struct {
	provider   oteltrace.TracerProvider
	propagator propagation.TextMapPropagator
	shutdown   func(context.Context) error // or nil
}

// New returns a Tracing that uses a provider. If shutdown is not nil, it is called when
// the plugin stops.
func New(provider oteltrace.TracerProvider, shutdown func(context.Context) error) *Tracing {
	return &Tracing{
		provider: provider, shutdown: shutdown,
		propagator: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
}

// FromEnv returns a Tracing that sends spans of the service to the collector at
// EnvAddress. EnvSamplerType and EnvSamplerParam determine which traces to keep if the
// host has not decided.
func FromEnv(ctx context.Context, service string) (*Tracing, error) {
	address := sdk.Env(EnvAddress)
	if address == "" {
		return New(noop.NewTracerProvider(), nil), nil
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpoint(address), otlptracegrpc.WithInsecure())
	if err != nil {
		return nil, fmt.Errorf("send traces to %s: %w", address, err)
	}
	provider := trace.NewTracerProvider(
		trace.WithResource(resource.NewSchemaless(attribute.String("service.name", service))),
		trace.WithSampler(trace.ParentBased(sampler(sdk.Env(EnvSamplerType), sdk.Env(EnvSamplerParam)))),
		trace.WithBatcher(exporter),
	)
	return New(provider, provider.Shutdown), nil
}

// sampler returns the sampler for traces on which the host has not decided. An unknown one, such as a
// remote sampler of another host, is replaced by one that keeps all traces.
func sampler(kind, param string) trace.Sampler {
	share, err := strconv.ParseFloat(cmp.Or(param, "1"), 64)
	switch {
	case kind != "" && kind != "const" && kind != "probabilistic":
		slog.Warn("unknown sampler: keeping all traces", "variable", sdk.EnvName(EnvSamplerType), "value", kind)
		return trace.AlwaysSample()
	case err != nil || share < 0 || share > 1:
		slog.Warn("the parameter of the sampler must be a number from 0 to 1: keeping all traces", "variable", sdk.EnvName(EnvSamplerParam),
			"value", param)
		return trace.AlwaysSample()
	}
	return trace.TraceIDRatioBased(share)
}

// Instrument returns p with a span for each call. It sends the last spans when the
// plugin stops.
func (t *Tracing) Instrument(p sdk.Plugin) sdk.Plugin {
	p.ServerOptions = append(p.ServerOptions, grpc.StatsHandler(otelgrpc.NewServerHandler(
		otelgrpc.WithTracerProvider(t.provider), otelgrpc.WithPropagators(t.propagator))))
	if t.shutdown == nil {
		return p
	}
	closePlugin := p.Close
	p.Close = func() (err error) {
		if closePlugin != nil {
			err = closePlugin()
		}
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		return errors.Join(err, t.shutdown(ctx))
	}
	return p
}

// Transport returns a transport that records a span for each request and sends the
// trace headers of the span to the upstream service. Use it as httpclient.Options.Wrap.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	return otelhttp.NewTransport(next, otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(t.propagator))
}

// Tracer returns a tracer for the author's own spans.
func (t *Tracing) Tracer(name string) oteltrace.Tracer { return t.provider.Tracer(name) }
