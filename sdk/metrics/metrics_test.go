package metrics_test

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/metrics"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

func TestInstrument(t *testing.T) {
	t.Parallel()
	for range 2 { // no global state: a process can have any number of plugins
		registry := prometheus.NewRegistry()
		sold := prometheus.NewCounter(prometheus.CounterOpts{Name: "shop_sold_total", Help: "What was sold."})
		registry.MustRegister(sold)
		k := sdktest.Start(t, metrics.Instrument(sdk.Plugin{
			CheckHealth: func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
				sold.Inc()
				return &sdk.CheckHealthResult{Status: sdk.HealthOK}, nil
			},
			QueryData: func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) { panic("oh") },
		}, registry))
		k.Health()
		if _, err := k.QueryData(t.Context(), &sdk.QueryDataRequest{}); err == nil {
			t.Error("a panic did not become an error")
		}
		if err := k.RunStream(t.Context(), &sdk.StreamRequest{}, nil); err == nil {
			t.Error("RunStream succeeded without a handler")
		}
		text := testkit.Must(k.CollectMetrics(t.Context(), &sdk.CollectMetricsRequest{}))(t)
		for _, want := range []string{
			"shop_sold_total 1\n", `plugin_requests_total{code="OK",endpoint="CheckHealth"} 1`,
			`plugin_requests_total{code="Internal",endpoint="QueryData"} 1`, `plugin_request_duration_seconds_count{endpoint="CheckHealth"} 1`, "go_goroutines ",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("missing %s in\n%s", want, text)
			}
		}
	}
}
