package backend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// Hosts can tell that a handler panicked without reading the message.
func TestPanics(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.Plugin{
		QueryData:      sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) { panic("oh no") }),
		CheckHealth:    func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) { panic("oh no") },
		CollectMetrics: func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) { return nil, errors.New("panic") },
	})
	ctx := t.Context()
	diagnostics := pluginv2.NewDiagnosticsClient(k.Conn())
	if _, err := diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{}); !wire.IsPanic(err, nil) {
		t.Errorf("IsPanic is false for the health check's error %v", err)
	}
	if _, err := diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{}); wire.IsPanic(err, nil) {
		t.Errorf("IsPanic is true for %v", err)
	}
	var trailer metadata.MD
	queries := pluginv2.NewDataClient(k.Conn())
	_, err := queries.QueryData(ctx, &pluginv2.QueryDataRequest{Queries: []*pluginv2.DataQuery{{RefId: "A"}, {RefId: "B"}}}, grpc.Trailer(&trailer))
	if !wire.IsPanic(err, trailer) {
		t.Errorf("IsPanic is false for the query with the trailer %v, error %v", trailer, err)
	}
	e, ok := errors.AsType[*sdk.Error](k.Query(sdk.Query{}).Err)
	if !ok || e.Status != 500 || e.Source != sdk.SourcePlugin {
		t.Errorf("the error of the query is %+v", e)
	}
}
