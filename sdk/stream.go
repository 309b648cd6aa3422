package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/wire"
)

// StreamRequest names a channel of the plugin. The host calls SubscribeStream for
// each user who subscribes, RunStream once for all subscribers of a channel, and
// PublishStream for what a user sends.
type StreamRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host
	Path    string            // of the channel, within the plugin; existing hosts allow letters, digits and _ - / = .
	Data    json.RawMessage   // what the subscriber or publisher sent, or nil
}

// SubscribeStreamFunc decides whether the user may subscribe to a channel. It
// returns JSON for the new subscriber, such as what the channel has shown so far,
// or nil. An *Error with status 404 or 403 refuses; hosts of other SDKs do not show its
// message.
type SubscribeStreamFunc func(ctx context.Context, req *StreamRequest) (json.RawMessage, error)

// RunStreamFunc sends to a channel until ctx ends. What it returns says whether the
// host should run the channel again: nil and any *Error with a status of 400 to 499
// (but for 408 and 429) end it for good, so that a channel that cannot work is not
// asked for over and over; any other error makes the host try again, after a while. Once
// ctx has ended it does not matter what is returned.
type RunStreamFunc func(ctx context.Context, req *StreamRequest, to *StreamSender) error

// PublishStreamFunc takes what a user sends to a channel and returns what all
// subscribers get: the same data, another version of it, or nil for nothing. An
// *Error with status 404 or 403 refuses.
type PublishStreamFunc func(ctx context.Context, req *StreamRequest) (json.RawMessage, error)

// StreamSender sends to the subscribers of a channel. It may be used by several
// goroutines, until RunStream returns.
type StreamSender struct {
	mu   sync.Mutex
	send func(json.RawMessage) error
}

// Send sends a value as JSON: a frame of sdk/frame or of the data package, anything else that
// encoding/json encodes, or a json.RawMessage as it is. It waits while the host does not
// read, and fails when the channel has no subscriber any more; return that error.
func (s *StreamSender) Send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("send to stream: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send(text)
}

type streamServer struct {
	pluginv2.UnimplementedStreamServer
	subscribe SubscribeStreamFunc
	run       RunStreamFunc
	publish   PublishStreamFunc
}

// SubscribeStream adapts the call of the protocol to the handler.
func (s streamServer) SubscribeStream(ctx context.Context, in *pluginv2.SubscribeStreamRequest) (*pluginv2.SubscribeStreamResponse, error) {
	if s.subscribe == nil {
		return nil, errNoHandler("SubscribeStream")
	}
	req := &StreamRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders(), Path: in.GetPath(), Data: in.GetData()}
	ctx = withContext(ctx, req.Context, req.Headers)
	initial, err := s.subscribe(ctx, req)
	if status, refused := refuse(ctx, req.Path, err); refused {
		return &pluginv2.SubscribeStreamResponse{Status: pluginv2.SubscribeStreamResponse_Status(status)}, nil
	}
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	return &pluginv2.SubscribeStreamResponse{Data: initial}, nil
}

// PublishStream adapts the call of the protocol to the handler.
func (s streamServer) PublishStream(ctx context.Context, in *pluginv2.PublishStreamRequest) (*pluginv2.PublishStreamResponse, error) {
	if s.publish == nil {
		return nil, errNoHandler("PublishStream")
	}
	req := &StreamRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders(), Path: in.GetPath(), Data: in.GetData()}
	ctx = withContext(ctx, req.Context, req.Headers)
	published, err := s.publish(ctx, req)
	if status, refused := refuse(ctx, req.Path, err); refused {
		return &pluginv2.PublishStreamResponse{Status: pluginv2.PublishStreamResponse_Status(status)}, nil
	}
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	return &pluginv2.PublishStreamResponse{Data: published}, nil
}

// refuse is the answer to a subscriber or publisher who is refused. The numbers of both
// answers are the same. The message goes into the trailer, for hosts that know it.
func refuse(ctx context.Context, path string, err error) (status pluginv2.SubscribeStreamResponse_Status, refused bool) {
	switch refusal(err) {
	case http.StatusNotFound:
		status = pluginv2.SubscribeStreamResponse_NOT_FOUND
	case http.StatusForbidden:
		status = pluginv2.SubscribeStreamResponse_PERMISSION_DENIED
	default:
		return 0, false
	}
	code, source, message := describe(err)
	logOf(ctx).InfoContext(ctx, "access to a channel was refused", "path", path, "status", code, "error", err)
	_ = grpc.SetTrailer(ctx, trailerOf(code, source, message)) // the status alone will do
	return status, true
}

// refusal is the status of an author's *Error, else 0.
func refusal(err error) int {
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e.Status
	}
	return 0
}

func trailerOf(code int, source Source, message string) metadata.MD {
	return metadata.Pairs(wire.TrailerStatus, strconv.Itoa(code), wire.TrailerSource, string(source), wire.TrailerMessage, message)
}

// RunStream adapts the call of the protocol to the handler.
func (s streamServer) RunStream(in *pluginv2.RunStreamRequest, stream pluginv2.Stream_RunStreamServer) error {
	if s.run == nil {
		return errNoHandler("RunStream")
	}
	req := &StreamRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders(), Path: in.GetPath(), Data: in.GetData()}
	ctx := withContext(stream.Context(), req.Context, req.Headers)
	to := &StreamSender{send: func(text json.RawMessage) error { return stream.Send(&pluginv2.StreamPacket{Data: text}) }}
	err := s.run(ctx, req, to)
	to.close()
	switch {
	case err == nil:
		return nil
	case isFinal(err):
		code, source, message := describe(err)
		logOf(ctx).WarnContext(ctx, "a stream ended for good", "path", req.Path, "status", code, "errorSource", source, "error", err)
		stream.SetTrailer(trailerOf(code, source, message))
		return nil
	}
	return rpcError(ctx, err)
}

// close lets no send reach the call, which is over.
func (s *StreamSender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send = func(json.RawMessage) error { return errors.New("send to stream: RunStream has returned") }
}

// isFinal says whether running the stream again would not help.
func isFinal(err error) bool {
	code := refusal(err)
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError &&
		code != http.StatusRequestTimeout && code != http.StatusTooManyRequests
}
