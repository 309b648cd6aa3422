package tracing_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
	"github.com/slipway-dev/slipway/sdk/sdktest"
	"github.com/slipway-dev/slipway/sdk/tracing"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

// The host, the plugin and the upstream service share a trace.
func TestTrace(t *testing.T) {
	t.Parallel()
	var upstream string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { upstream = r.Header.Get("Traceparent") }))
	t.Cleanup(service.Close)
	recorder := tracetest.NewSpanRecorder()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(recorder))
	stopped := 0
	traces := tracing.New(provider, func(ctx context.Context) error { stopped++; return provider.Shutdown(ctx) })
	client := testkit.Must(httpclient.New(httpclient.Options{URL: service.URL, Wrap: traces.Transport}))(t)
	p := traces.Instrument(sdk.Plugin{
		CheckHealth: func(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			ctx, span := traces.Tracer("shop").Start(ctx, "look")
			defer span.End()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, service.URL, nil)
			if err != nil {
				return nil, err
			}
			resp, err := client.Do(req)
			if err != nil {
				return nil, err
			}
			return &sdk.CheckHealthResult{Status: sdk.HealthOK}, resp.Body.Close()
		},
		Close: client.Close,
	})
	t.Run("call", func(t *testing.T) {
		k := sdktest.Start(t, p)
		ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", traceparent)
		if r, err := k.CheckHealth(ctx, &sdk.CheckHealthRequest{}); err != nil || r.Status != sdk.HealthOK {
			t.Errorf("%+v, %v", r, err)
		}
	})
	if stopped != 1 {
		t.Errorf("spans were flushed %d times", stopped)
	}
	var names []string
	for _, span := range recorder.Ended() {
		names = append(names, span.Name())
		if span.SpanContext().TraceID().String() != traceID {
			t.Errorf("%s is in the trace %s", span.Name(), span.SpanContext().TraceID())
		}
		if strings.HasPrefix(span.Name(), "HTTP") && !strings.Contains(upstream, span.SpanContext().SpanID().String()) {
			t.Errorf("the service received %s, not the span of its request", upstream)
		}
	}
	if strings.Join(names, " ") != "HTTP GET look pluginv2.Diagnostics/CheckHealth" {
		t.Errorf("spans: %q", names)
	}
}

func TestFromEnv(t *testing.T) {
	if traces, err := tracing.FromEnv(t.Context(), "p"); err != nil || traces.Instrument(sdk.Plugin{}).Close != nil {
		t.Errorf("without an address: %v", err)
	}
	t.Setenv("GF_INSTANCE_OTLP_ADDRESS", "127.0.0.1:1")
	for name, c := range map[string]struct{ kind, param, want string }{
		"unknown": {"remote", "", "unknown sampler"},
		"text":    {"const", "x", "must be a number from 0 to 1"},
		"beyond":  {"probabilistic", "2", "must be a number from 0 to 1"},
		"fine":    {"probabilistic", "0.5", ""},
	} {
		var log bytes.Buffer
		before := slog.Default()
		slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
		t.Setenv("GF_INSTANCE_OTLP_SAMPLER_TYPE", c.kind)
		t.Setenv(tracing.EnvSamplerParam, c.param)
		_, err := tracing.FromEnv(t.Context(), "p")
		slog.SetDefault(before)
		if err != nil || !strings.Contains(log.String(), c.want) || c.want == "" && log.Len() > 0 {
			t.Errorf("%s: %v, %s", name, err, &log)
		}
	}
	traces := testkit.Must(tracing.FromEnv(t.Context(), "p"))(t)
	if err := traces.Instrument(sdk.Plugin{}).Close(); err != nil {
		t.Error(err)
	}
}
