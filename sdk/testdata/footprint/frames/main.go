// Command frames is a minimal data source on the SDK with frames of sdk/frame, the
// counterpart of testdata/existing/hello.
package main

import (
	"context"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

type source struct{}

func newSource(context.Context, sdk.DataSource, struct{}) (source, error) { return source{}, nil }

// QueryData returns the start and the end of the time range.
func (source) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.EachQuery(query)(ctx, req)
}

func query(_ context.Context, q sdk.Query, _ struct{}) ([]sdk.Frame, error) {
	return []sdk.Frame{frame.New("hello",
		frame.Of("time", []time.Time{q.TimeRange.From, q.TimeRange.To}),
		frame.Of("value", []float64{1, 2}),
	)}, nil
}

// CheckHealth reports that the plugin runs.
func (source) CheckHealth(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "hello"}, nil
}

func main() { sdk.Serve(sdk.DataSources(newSource).Plugin()) }
