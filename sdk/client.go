package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// ErrUnsupported is what a Client's call returns when the plugin has no handler
// for it.
var ErrUnsupported = errors.New("the plugin does not support this call")

// Client calls a plugin from the host's side. Its zero value is not usable; it is
// safe for concurrent use.
type Client struct {
	data        pluginv2.DataClient
	diagnostics pluginv2.DiagnosticsClient
	resource    pluginv2.ResourceClient
	stream      pluginv2.StreamClient
	conn        grpc.ClientConnInterface
}

// NewClient returns a client of the plugin at the other end of a connection.
func NewClient(conn grpc.ClientConnInterface) *Client {
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
func (c *Client) QueryData(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
	in := &pluginv2.QueryDataRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers}
	for _, q := range req.Queries {
		in.Queries = append(in.Queries, queryToWire(q))
	}
	out, err := c.data.QueryData(ctx, in)
	if err != nil {
		return nil, CallError(ctx, err)
	}
	answers := make(QueryDataResponse, len(out.GetResponses()))
	for id, r := range out.GetResponses() {
		answers[id] = dataFromWire(r)
	}
	return answers, nil
}

// CheckHealth asks for the plugin's health.
func (c *Client) CheckHealth(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error) {
	out, err := c.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers})
	if err != nil {
		return nil, CallError(ctx, err)
	}
	return healthFromWire(out), nil
}

// CallResourceRequest is an HTTP request to a plugin's own endpoints.
type CallResourceRequest struct {
	Context Context
	Method  string
	Path    string // relative to the plugin, without a leading slash
	URL     string // Path with its query
	Header  http.Header
	Body    []byte
}

// CallResourceResponse is one piece of the answer. The first has Status and
// Header; Body is the next part of the body.
type CallResourceResponse struct {
	Status int
	Header http.Header
	Body   []byte
}

// CallResource sends the request and hands over the answer piece by piece, as it
// arrives. It stops when receive returns an error, and returns that error.
func (c *Client) CallResource(ctx context.Context, req *CallResourceRequest, receive func(CallResourceResponse) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.resource.CallResource(ctx, &pluginv2.CallResourceRequest{
		PluginContext: contextToWire(req.Context), Method: req.Method, Path: req.Path, Url: req.URL,
		Headers: headerToWire(req.Header), Body: req.Body,
	})
	if err != nil {
		return CallError(ctx, err)
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return CallError(ctx, err)
		}
		if err := receive(CallResourceResponse{Status: int(piece.GetCode()), Header: headerFromWire(piece.GetHeaders()), Body: piece.GetBody()}); err != nil {
			return err
		}
	}
}

// CollectMetrics asks for the metrics of the plugin's process, in the text format of
// Prometheus.
func (c *Client) CollectMetrics(ctx context.Context, req *CollectMetricsRequest) ([]byte, error) {
	out, err := c.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: contextToWire(req.Context)})
	if err != nil {
		return nil, CallError(ctx, err)
	}
	return out.GetMetrics().GetPrometheus(), nil
}

// SubscribeStream asks whether a user may subscribe to a channel, and returns JSON
// for the subscriber, or nil. A refusal is an *Error with status 404 or 403.
func (c *Client) SubscribeStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := c.stream.SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, CallError(ctx, err)
	}
	return out.GetData(), refused(int32(out.GetStatus()), req.Path, trailer)
}

// PublishStream hands what a user sends to a channel to the plugin, and returns what
// its subscribers get; nil for nothing. A refusal is an *Error with status 404 or 403.
func (c *Client) PublishStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := c.stream.PublishStream(ctx, &pluginv2.PublishStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, CallError(ctx, err)
	}
	return out.GetData(), refused(int32(out.GetStatus()), req.Path, trailer)
}

// RunStream runs a channel and hands over what it sends. It returns nil when the
// plugin has ended the channel, and an *Error with a status of 400 to 499 when it has
// ended it for a reason; both are final. After any other error the channel may be run
// again. It stops when receive returns an error, and returns that error.
func (c *Client) RunStream(ctx context.Context, req *StreamRequest, receive func(json.RawMessage) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.stream.RunStream(ctx, &pluginv2.RunStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	})
	if err != nil {
		return CallError(ctx, err)
	}
	for {
		packet, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return finalError(stream.Trailer())
		}
		if err != nil {
			return CallError(ctx, err)
		}
		if err := receive(packet.GetData()); err != nil {
			return err
		}
	}
}

// refused turns the status of the answer about a channel into an error. The numbers
// are the same for subscribing and publishing.
func refused(status int32, path string, trailer metadata.MD) error {
	if err := finalError(trailer); err != nil {
		return err
	}
	switch pluginv2.SubscribeStreamResponse_Status(status) {
	case pluginv2.SubscribeStreamResponse_OK:
		return nil
	case pluginv2.SubscribeStreamResponse_NOT_FOUND:
		return Downstreamf(http.StatusNotFound, "the plugin has no channel %q", path)
	case pluginv2.SubscribeStreamResponse_PERMISSION_DENIED:
		return Downstreamf(http.StatusForbidden, "the plugin denies access to the channel %q", path)
	}
	return Errorf(http.StatusBadGateway, "the plugin answered with the unknown status %d about the channel %q", status, path)
}
