package backend

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/sdk"
)

// SubscribeStream asks whether a user may subscribe to a channel, and returns JSON
// for the subscriber, or nil. A refusal is an *sdk.Error with status 404 or 403.
func (c *Client) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := c.stream.SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetData(), refused(int32(out.GetStatus()), req.Path, trailer)
}

// PublishStream hands what a user sends to a channel to the plugin, and returns what
// its subscribers get; nil for nothing. A refusal is an *sdk.Error with status 404 or 403.
func (c *Client) PublishStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := c.stream.PublishStream(ctx, &pluginv2.PublishStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetData(), refused(int32(out.GetStatus()), req.Path, trailer)
}

// RunStream runs a channel and hands over what it sends. It returns nil when the
// plugin has ended the channel, and an *sdk.Error with a status of 400 to 499 when it has
// ended it for a reason; both are final. After any other error the channel may be run
// again. It stops when receive returns an error, and returns that error.
func (c *Client) RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.stream.RunStream(ctx, &pluginv2.RunStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	})
	if err != nil {
		return callError(ctx, err)
	}
	for {
		packet, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return finalError(stream.Trailer())
		}
		if err != nil {
			return callError(ctx, err)
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
		return sdk.Downstreamf(http.StatusNotFound, "the plugin has no channel %q", path)
	case pluginv2.SubscribeStreamResponse_PERMISSION_DENIED:
		return sdk.Downstreamf(http.StatusForbidden, "the plugin denies access to the channel %q", path)
	}
	return sdk.Errorf(http.StatusBadGateway, "the plugin answered with the unknown status %d about the channel %q", status, path)
}
