// Command lean is a minimal data source on the SDK without frames.
package main

import (
	"context"

	"github.com/slipway-dev/slipway/sdk"
)

type source struct{}

func newSource(context.Context, sdk.DataSource, struct{}) (source, error) { return source{}, nil }

// QueryData returns no frames.
func (source) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	return sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) { return nil, nil })(ctx, req)
}

// CheckHealth reports that the plugin runs.
func (source) CheckHealth(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "hello"}, nil
}

func main() { sdk.Serve(sdk.DataSources(newSource).Plugin()) }
