// Package tracing records the calls of a plugin, and what it calls itself, as
// OpenTelemetry traces that continue those of the host. It is a package of its own so
// that only those who import it pay for it; without it the SDK still hands the host's
// trace on to upstream services, see sdk.TraceHeaders.
//
//	func main() {
//		traces, err := tracing.FromEnv(context.Background(), "acme-shop-datasource")
//		if err != nil {
//			slog.Error("no traces", "error", err)
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

// The variables that say where traces go and which are kept; existing hosts set those
// that begin with GF_.
const (
	EnvAddress      = "SVC_INSTANCE_OTLP_ADDRESS"       // host:port of an OTLP collector over gRPC; none records nothing
	EnvSamplerType  = "SVC_INSTANCE_OTLP_SAMPLER_TYPE"  // const (the default) or probabilistic, for calls whose caller has not decided
	EnvSamplerParam = "SVC_INSTANCE_OTLP_SAMPLER_PARAM" // const: 1 all, 0 none; probabilistic: a share from 0 to 1
)

// flushTimeout is how long the last spans may take when the plugin stops, of the 2 s
// that a host gives it.
const flushTimeout = time.Second

// Tracing makes spans. It keeps them to itself: nothing global is set.
type Tracing struct {
	provider   oteltrace.TracerProvider
	propagator propagation.TextMapPropagator
	shutdown   func(context.Context) error // nil when there is nothing to flush
}

// New makes spans with a provider of the author's; shutdown is called when the plugin
// stops, nil is nothing.
func New(provider oteltrace.TracerProvider, shutdown func(context.Context) error) *Tracing {
	return &Tracing{
		provider: provider, shutdown: shutdown,
		propagator: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
}

// FromEnv makes spans and sends them where the environment says. Without an address
// none are recorded, and the host's trace is handed on all the same.
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

// sampler says which traces to keep that no caller has decided on. What it does not
// know, such as the remote samplers of other hosts, keeps all: a plugin does not fail to
// start for it.
func sampler(kind, param string) trace.Sampler {
	share, err := strconv.ParseFloat(cmp.Or(param, "1"), 64)
	switch {
	case kind != "" && kind != "const" && kind != "probabilistic":
		slog.Warn("every trace is kept: the sampler is not known", "variable", EnvSamplerType, "value", kind)
		return trace.AlwaysSample()
	case err != nil || share < 0 || share > 1:
		slog.Warn("every trace is kept: the parameter of the sampler is no number from 0 to 1", "variable", EnvSamplerParam, "value", param)
		return trace.AlwaysSample()
	}
	return trace.TraceIDRatioBased(share) // of 1 is always, of 0 never
}

// Instrument returns the plugin with a span around each call. What is left is sent
// when the plugin stops.
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

// Transport puts a span around each request, and tells the upstream service of it. It
// is made for httpclient.Options.Wrap.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	return otelhttp.NewTransport(next, otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(t.propagator))
}

// Tracer makes spans of the author's own.
func (t *Tracing) Tracer(name string) oteltrace.Tracer { return t.provider.Tracer(name) }
