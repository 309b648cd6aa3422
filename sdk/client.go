package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
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
}

// NewClient returns a client of the plugin at the other end of a connection.
func NewClient(conn grpc.ClientConnInterface) *Client {
	return &Client{
		data:        pluginv2.NewDataClient(conn),
		diagnostics: pluginv2.NewDiagnosticsClient(conn),
		resource:    pluginv2.NewResourceClient(conn),
	}
}

// QueryData asks the queries. Frames come back as ArrowFrame.
func (c *Client) QueryData(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
	in := &pluginv2.QueryDataRequest{PluginContext: contextToWire(req.Context), Headers: req.Headers}
	for _, q := range req.Queries {
		in.Queries = append(in.Queries, queryToWire(q))
	}
	out, err := c.data.QueryData(ctx, in)
	if err != nil {
		return nil, callError(ctx, err)
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
		return nil, callError(ctx, err)
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
		return callError(ctx, err)
	}
	for {
		piece, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return callError(ctx, err)
		}
		if err := receive(CallResourceResponse{Status: int(piece.GetCode()), Header: headerFromWire(piece.GetHeaders()), Body: piece.GetBody()}); err != nil {
			return err
		}
	}
}

// callError turns the error of a call into ErrUnsupported, a context's error or
// an *Error with the status that fits its gRPC code.
func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s, _ := status.FromError(err)
	if s.Code() == codes.Unimplemented {
		return fmt.Errorf("%w: %s", ErrUnsupported, s.Message())
	}
	e := &Error{Status: http.StatusInternalServerError, Source: SourcePlugin, Message: s.Message()}
	switch s.Code() {
	case codes.InvalidArgument:
		e.Status = http.StatusBadRequest
	case codes.Unauthenticated:
		e.Status = http.StatusUnauthorized
	case codes.PermissionDenied:
		e.Status = http.StatusForbidden
	case codes.NotFound:
		e.Status = http.StatusNotFound
	case codes.DeadlineExceeded:
		e.Status = http.StatusGatewayTimeout
	case codes.Unavailable, codes.Canceled: // cancelled by the end of the process; gRPC's words name sockets
		e.Status, e.Message, e.Cause = http.StatusBadGateway, "the connection to the plugin was lost", err
	case codes.Internal:
		e.Message, e.Cause = "the plugin failed on this call: its log may say why", err
	}
	return e
}
