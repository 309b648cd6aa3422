// Command frames is a hello data source on the SDK with frames of the data package: the
// counterpart of testdata/existing/hello.
package main

import (
	"context"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
)

type source struct{}

func newSource(context.Context, sdk.DataSource, struct{}) (source, error) { return source{}, nil }

// QueryData answers each query with the ends of its time range.
func (source) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.EachQuery(query)(ctx, req)
}

func query(_ context.Context, q sdk.Query, _ struct{}) ([]sdk.Frame, error) {
	return []sdk.Frame{data.NewFrame("hello",
		data.NewField("time", nil, []time.Time{q.TimeRange.From, q.TimeRange.To}),
		data.NewField("value", nil, []float64{1, 2}),
	)}, nil
}

// CheckHealth says that the program runs.
func (source) CheckHealth(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "hello"}, nil
}

func main() { sdk.Serve(sdk.DataSources(newSource).Plugin()) }
