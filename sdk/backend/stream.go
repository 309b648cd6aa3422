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

// maxPacket bounds the size of a packet in bytes: many streams receive at the same time.
const maxPacket = 1 << 20

// SubscribeStream subscribes a user to a channel and returns JSON for the subscriber, or
// nil. If the plugin denies it, the error is an *sdk.Error with status 404 or 403.
func (c *Client) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := pluginv2.NewStreamClient(c.conn).SubscribeStream(ctx, &pluginv2.SubscribeStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetData(), denial(int32(out.GetStatus()), req.Path, trailer)
}

// PublishStream sends the message of a user to the plugin and returns the message for all
// subscribers, or nil for none. If the plugin denies it, the error is an *sdk.Error with
// status 404 or 403.
func (c *Client) PublishStream(ctx context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
	var trailer metadata.MD
	out, err := pluginv2.NewStreamClient(c.conn).PublishStream(ctx, &pluginv2.PublishStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.Trailer(&trailer))
	if err != nil {
		return nil, callError(ctx, err)
	}
	return out.GetData(), denial(int32(out.GetStatus()), req.Path, trailer)
}

// RunStream runs a channel and passes each packet to receive. It returns nil, or an
// *sdk.Error with a status from 400 to 499, if the plugin has ended the channel for good;
// after any other error the host may run it again. If receive returns an error, RunStream
// stops and returns that error. A packet over 1 MiB ends the run with status 502.
func (c *Client) RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := pluginv2.NewStreamClient(c.conn).RunStream(ctx, &pluginv2.RunStreamRequest{
		PluginContext: contextToWire(req.Context), Path: req.Path, Data: req.Data, Headers: req.Headers,
	}, grpc.MaxCallRecvMsgSize(maxPacket))
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

// denial returns the error for the status of a response about a channel. The statuses of
// both responses have the same numbers.
func denial(status int32, path string, trailer metadata.MD) error {
	if err := finalError(trailer); err != nil {
		return err
	}
	switch pluginv2.SubscribeStreamResponse_Status(status) {
	case pluginv2.SubscribeStreamResponse_OK:
		return nil
	case pluginv2.SubscribeStreamResponse_NOT_FOUND:
		return sdk.Downstreamf(http.StatusNotFound, "the plugin has no channel %q", path)
	case pluginv2.SubscribeStreamResponse_PERMISSION_DENIED:
		return sdk.Downstreamf(http.StatusForbidden, "the plugin denies access to channel %q", path)
	}
	return sdk.Errorf(http.StatusBadGateway, "the plugin responded with the unknown status %d for channel %q", status, path)
}
