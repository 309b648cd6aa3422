// Command hello is a minimal data source with our SDK, the
// counterpart of testdata/existing/hello.
package main

import (
	"context"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
)

// query returns the ends of the time range.
func query(_ context.Context, q sdk.Query, _ struct{}) ([]sdk.Frame, error) {
	return []sdk.Frame{data.NewFrame("hello",
		data.NewField("time", nil, []time.Time{q.TimeRange.From, q.TimeRange.To}),
		data.NewField("value", nil, []float64{1, 2}),
	)}, nil
}

func health(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "hello"}, nil
}

func main() { sdk.Serve(sdk.Plugin{QueryData: sdk.EachQuery(query), CheckHealth: health}) }
