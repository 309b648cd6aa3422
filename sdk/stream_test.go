package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.Plugin{
		SubscribeStream: func(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
			switch req.Path {
			case "none":
				return nil, sdk.Errorf(http.StatusNotFound, "there is no such channel")
			case "secret":
				return nil, sdk.Errorf(http.StatusForbidden, "not for you")
			case "broken":
				return nil, errors.New("oh")
			}
			return json.RawMessage(`{"hello":"` + req.Path + `"}`), nil
		},
		RunStream: func(ctx context.Context, req *sdk.StreamRequest, to *sdk.StreamSender) error {
			switch req.Path {
			case "final":
				return sdk.Downstreamf(http.StatusUnprocessableEntity, "the query %s cannot be streamed \xff", req.Path)
			case "again":
				return sdk.Downstreamf(http.StatusBadGateway, "away")
			case "busy":
				return sdk.Downstreamf(http.StatusTooManyRequests, "busy")
			case "cannot":
				return to.Send(func() {})
			}
			for n := 0; ; n++ {
				if err := to.Send(map[string]int{"n": n}); err != nil {
					return err
				}
				if req.Path == "three" && n == 2 {
					return nil
				}
			}
		},
		PublishStream: func(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
			if req.Path != "chat" {
				return nil, sdk.Errorf(http.StatusForbidden, "read only")
			}
			return req.Data, nil
		},
	})
	if packets, err := k.Stream("three", 9); err != nil || len(packets) != 3 || string(packets[2]) != `{"n":2}` {
		t.Errorf("%s, %v", packets, err)
	}
	if packets, err := k.Stream("endless", 2); err != nil || len(packets) != 2 {
		t.Errorf("%s, %v", packets, err)
	}
	if hello, err := k.SubscribeStream(t.Context(), &sdk.StreamRequest{Path: "x"}); err != nil || string(hello) != `{"hello":"x"}` {
		t.Errorf("%s, %v", hello, err)
	}
	status := func(err error) sdk.Error {
		if e, ok := errors.AsType[*sdk.Error](err); ok {
			return sdk.Error{Status: e.Status, Source: e.Source, Message: e.Message}
		}
		t.Errorf("got %v, want an *sdk.Error", err)
		return sdk.Error{}
	}
	for path, want := range map[string]sdk.Error{
		"none":   {Status: 404, Source: sdk.SourcePlugin, Message: "there is no such channel"},
		"secret": {Status: 403, Source: sdk.SourcePlugin, Message: "not for you"},
		"broken": {Status: 500, Source: sdk.SourcePlugin, Message: "oh"},
		"final":  {Status: 422, Source: sdk.SourceDownstream, Message: "the query final cannot be streamed \xff"},
		"again":  {Status: 502, Source: sdk.SourceDownstream, Message: "away"},
		"busy":   {Status: 429, Source: sdk.SourceDownstream, Message: "busy"},
		"cannot": {Status: 500, Source: sdk.SourcePlugin, Message: "send to stream: json: unsupported type: func()"},
	} {
		if _, err := k.Stream(path, 1); status(err) != want {
			t.Errorf("%s: %+v", path, status(err))
		}
	}
	if out, err := k.PublishStream(t.Context(), &sdk.StreamRequest{Path: "chat", Data: []byte(`"hi"`)}); err != nil || string(out) != `"hi"` {
		t.Errorf("%s, %v", out, err)
	}
	if _, err := k.PublishStream(t.Context(), &sdk.StreamRequest{Path: "x"}); status(err).Status != 403 {
		t.Errorf("%v", err)
	}
}

// When the last subscriber leaves, the stream's context ends.
func TestStreamThatIsLeft(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	k := sdktest.Start(t, sdk.Plugin{
		RunStream: func(ctx context.Context, _ *sdk.StreamRequest, to *sdk.StreamSender) error {
			err := to.Send("x")
			<-ctx.Done()
			ended <- err
			return ctx.Err()
		},
	})
	left := errors.New("left")
	if err := k.RunStream(t.Context(), &sdk.StreamRequest{}, func(json.RawMessage) error { return left }); err != left {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
