// Command hello is a minimal data source that uses Grafana's SDK, to compare the size of
// executables and the time they take to start.
package main

import (
	"context"
	"os"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"
	"github.com/grafana/grafana-plugin-sdk-go/backend/instancemgmt"
	"github.com/grafana/grafana-plugin-sdk-go/data"
)

type source struct{}

// QueryData returns the start and the end of the time range.
func (source) QueryData(_ context.Context, req *backend.QueryDataRequest) (*backend.QueryDataResponse, error) {
	resp := backend.NewQueryDataResponse()
	for _, q := range req.Queries {
		resp.Responses[q.RefID] = backend.DataResponse{Frames: data.Frames{data.NewFrame("hello",
			data.NewField("time", nil, []time.Time{q.TimeRange.From, q.TimeRange.To}),
			data.NewField("value", nil, []float64{1, 2}),
		)}}
	}
	return resp, nil
}

// CheckHealth reports that the plugin runs.
func (source) CheckHealth(context.Context, *backend.CheckHealthRequest) (*backend.CheckHealthResult, error) {
	return &backend.CheckHealthResult{Status: backend.HealthStatusOk, Message: "hello"}, nil
}

func main() {
	create := func(context.Context, backend.DataSourceInstanceSettings) (instancemgmt.Instance, error) {
		return source{}, nil
	}
	if err := datasource.Manage("existing-hello-datasource", create, datasource.ManageOpts{}); err != nil {
		backend.Logger.Error("the plugin ended", "error", err)
		os.Exit(1)
	}
}
