package loader

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// SubscribeStream subscribes a user to a channel; see backend.Client.SubscribeStream. It
// returns an *sdk.Error with status 504 after Limits.Channel.
func (p *Plugin) SubscribeStream(ctx context.Context, req *sdk.StreamRequest) (initial json.RawMessage, err error) {
	err = p.call(ctx, CallSubscribe, p.options.Limits.Channel, func(ctx context.Context, c *backend.Client, _ *measurement) error {
		initial, err = c.SubscribeStream(ctx, req)
		return err
	})
	return initial, err
}

// PublishStream sends the message of a user to a channel; see
// backend.Client.PublishStream. It returns an *sdk.Error with status 504 after
// Limits.Channel.
func (p *Plugin) PublishStream(ctx context.Context, req *sdk.StreamRequest) (published json.RawMessage, err error) {
	err = p.call(ctx, CallPublish, p.options.Limits.Channel, func(ctx context.Context, c *backend.Client, _ *measurement) error {
		published, err = c.PublishStream(ctx, req)
		return err
	})
	return published, err
}

// RunStream runs a channel; see backend.Client.RunStream. It does not delay the replacement or
// the end of the process: it returns an *sdk.Error with status 503, and the caller can run the
// channel again in the next process. It has no time limit, does not count toward Limits.Calls
// and is not measured: the caller bounds how many streams run.
func (p *Plugin) RunStream(ctx context.Context, req *sdk.StreamRequest, receive func(json.RawMessage) error) error {
	proc, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer proc.release()
	retired := &sdk.Error{Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin, Message: "the process of " + p.id +
		" is being replaced or stopped"}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(proc.serving, func() { cancel(retired) })()
	err = proc.client.RunStream(ctx, req, receive)
	if err != nil && errors.Is(err, ctx.Err()) && context.Cause(ctx) == error(retired) {
		return retired
	}
	return err
}
