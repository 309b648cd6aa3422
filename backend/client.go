// Package backend calls a plugin's backend over the plugin protocol, as a host does.
//
// The requests and responses of package sdk describe the calls. Every method returns
// [ErrUnsupported] when the plugin does not implement the call, the error of a
// context that ended, or a *sdk.Error.
package backend

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/sdk"
)

// Client calls a plugin from the host's side. Its zero value is not usable; it is
// safe for concurrent use.
type Client struct {
	data        pluginv2.DataClient
	diagnostics pluginv2.DiagnosticsClient
	resource    pluginv2.ResourceClient
	stream      pluginv2.StreamClient
	conn        grpc.ClientConnInterface
}

// New returns a client of the plugin at the other end of a connection.
func New(conn grpc.ClientConnInterface) *Client {
	return &Client{
		data:        pluginv2.NewDataClient(conn),
		diagnostics: pluginv2.NewDiagnosticsClient(conn),
		resource:    pluginv2.NewResourceClient(conn),
		stream:      pluginv2.NewStreamClient(conn),
		conn:        conn,
	}
}

// Conn returns the connection, for the clients of further services.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// QueryData asks the queries. Frames come back as ArrowFrame.
func (c *Client) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
	in := &pluginv2.QueryDataRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers}
	for _, q := range req.Queries {
		in.Queries = append(in.Queries, queryToWire(q))
	}
	out, err := c.data.QueryData(ctx, in)
	if err != nil {
		return nil, callError(ctx, err)
	}
	answers := make(sdk.QueryDataResponse, len(out.GetResponses()))
	for id, r := range out.GetResponses() {
		answers[id] = dataFromWire(r)
	}
	return answers, nil
}

// CheckHealth asks for the plugin's health.
func (c *Client) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	out, err := c.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers})
	if err != nil {
		return nil, callError(ctx, err)
	}
	return healthFromWire(out), nil
}

// CollectMetrics asks for the metrics of the plugin's process, in the text format of
// Prometheus.
func (c *Client) CollectMetrics(ctx context.Context, req *sdk.CollectMetricsRequest) ([]byte, error) {
	out, err := c.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: contextToWire(req.Context)})
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetMetrics().GetPrometheus(), nil
}

// ArrowFrame is a frame as an Arrow IPC file, as the plugin sent it.
type ArrowFrame []byte

// MarshalArrow returns the file.
func (f ArrowFrame) MarshalArrow() ([]byte, error) { return f, nil }
