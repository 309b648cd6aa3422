// Package backend calls a plugin's backend over the plugin protocol, as a host does.
//
// Hosts and tests use it; package loader starts the process and returns its client. The handlers of package sdk document the
// calls. The error of a call is the error of its context, [ErrUnsupported], or an
// *sdk.Error with the status and the source that the plugin sent.
package backend

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/sdk"
)

// Client calls a plugin. It is safe for concurrent use. Create it with New.
type Client struct{ conn grpc.ClientConnInterface }

// New returns a client for the plugin at the other end of a connection.
func New(conn grpc.ClientConnInterface) *Client { return &Client{conn} }

// Conn returns the connection, for clients of other services.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// QueryData sends queries. The frames of the responses are of type [ArrowFrame].
func (c *Client) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	in := &pluginv2.QueryDataRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers}
	for _, q := range req.Queries {
		in.Queries = append(in.Queries, queryToWire(q))
	}
	out, err := pluginv2.NewDataClient(c.conn).QueryData(ctx, in)
	if err != nil {
		return nil, callError(ctx, err)
	}
	responses := make(sdk.QueryDataResponse, len(out.GetResponses()))
	for id, r := range out.GetResponses() {
		responses[id] = dataFromWire(r)
	}
	return responses, nil
}

// CheckHealth runs the plugin's health check.
func (c *Client) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	out, err := pluginv2.NewDiagnosticsClient(c.conn).CheckHealth(ctx,
		&pluginv2.CheckHealthRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers})
	if err != nil {
		return nil, callError(ctx, err)
	}
	return healthFromWire(out), nil
}

// CollectMetrics returns the metrics of the plugin's process in the Prometheus text
// format.
func (c *Client) CollectMetrics(ctx context.Context, req *sdk.CollectMetricsRequest) ([]byte, error) {
	out, err := pluginv2.NewDiagnosticsClient(c.conn).CollectMetrics(ctx,
		&pluginv2.CollectMetricsRequest{PluginContext: contextToWire(req.Context)})
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetMetrics().GetPrometheus(), nil
}

// ArrowFrame is an Arrow IPC file with a frame.
type ArrowFrame []byte

// MarshalArrow returns the file.
func (f ArrowFrame) MarshalArrow() ([]byte, error) { return f, nil }
