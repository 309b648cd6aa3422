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

// CallResourceRequest is an HTTP request to an endpoint of a plugin.
type CallResourceRequest struct {
	Context sdk.Context
	Method  string
	Path    string // without a leading slash
	URL     string // Path with the query
	Header  http.Header
	Body    []byte
}

// CallResourceResponse is a part of the response. The first part has the status and the
// header.
type CallResourceResponse struct {
	Status int
	Header http.Header
	Body   []byte
}

// CallResource sends a request and passes each part of the response to receive as it
// arrives. If receive returns an error, CallResource stops and returns that error.
func (c *Client) CallResource(ctx context.Context, req *CallResourceRequest, receive func(CallResourceResponse) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := pluginv2.NewResourceClient(c.conn).CallResource(ctx, &pluginv2.CallResourceRequest{
		PluginContext: contextToWire(req.Context), Method: req.Method, Path: req.Path, Url: req.URL,
		Headers: wire.StringLists(req.Header), Body: req.Body,
	})
	if err != nil {
		return callError(ctx, err)
	}
	for {
		part, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return callError(ctx, err)
		}
		if err := receive(CallResourceResponse{Status: int(part.GetCode()), Header: wire.Header(part.GetHeaders()),
			Body: part.GetBody()}); err != nil {
			return err
		}
	}
}
