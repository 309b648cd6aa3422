package backend

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

// CallResourceRequest is an HTTP request to a plugin's own endpoints.
type CallResourceRequest struct {
	Context sdk.Context
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
		Headers: wire.StringLists(req.Header), Body: req.Body,
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
		if err := receive(CallResourceResponse{Status: int(piece.GetCode()), Header: wire.Header(piece.GetHeaders()), Body: piece.GetBody()}); err != nil {
			return err
		}
	}
}
