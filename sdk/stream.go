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

// StreamRequest names a channel of the plugin. The host calls SubscribeStream for each
// user who subscribes, RunStream once for all subscribers of a channel, and
// PublishStream for each message that a user sends.
type StreamRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host; see ForwardedHeader
	Path    string            // of the channel within the plugin; existing hosts allow letters, digits and any of ._-/=
	Data    json.RawMessage   // what the subscriber or publisher sent, or nil
}

// SubscribeStreamFunc decides whether the user may subscribe to a channel. It returns
// JSON to send to the new subscriber, such as the most recent values, or nil. An *Error
// with status 404 or 403 denies the subscription; existing hosts do not show its message.
type SubscribeStreamFunc func(ctx context.Context, req *StreamRequest) (json.RawMessage, error)

// RunStreamFunc sends to a channel until ctx ends. If it returns nil, or an *Error with a
// status from 400 to 499 other than 408 and 429, the stream has ended for good. On any
// other error, the host calls it again after a delay. The result is ignored once ctx has
// ended.
type RunStreamFunc func(ctx context.Context, req *StreamRequest, to *StreamSender) error

// PublishStreamFunc receives a message that a user sent to a channel, and returns the
// message for all subscribers: the same, a modified one, or nil for none. An *Error with
// status 404 or 403 rejects the message.
type PublishStreamFunc func(ctx context.Context, req *StreamRequest) (json.RawMessage, error)

// StreamSender sends to the subscribers of a channel. It is safe for concurrent use,
// until RunStream returns.
type StreamSender struct {
	mu   sync.Mutex
	send func(json.RawMessage) error
}

// Send sends a value, usually a frame, as JSON. To send JSON text, pass a
// [json.RawMessage]. Send blocks while the host does not read. When the channel has no
// subscribers left, it returns an error, which RunStream should return.
func (s *StreamSender) Send(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("send to stream: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.send(text)
}

// close makes further calls of Send fail, since RunStream has returned.
func (s *StreamSender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send = func(json.RawMessage) error { return errors.New("send to stream: RunStream has returned") }
}

type streamServer struct {
	pluginv2.UnimplementedStreamServer
	subscribe SubscribeStreamFunc
	run       RunStreamFunc
	publish   PublishStreamFunc
}

// SubscribeStream implements pluginv2.StreamServer.
func (s streamServer) SubscribeStream(ctx context.Context, in *pluginv2.SubscribeStreamRequest) (*pluginv2.SubscribeStreamResponse, error) {
	if s.subscribe == nil {
		return nil, errNoHandler("SubscribeStream")
	}
	initial, status, err := answer(ctx, in, s.subscribe)
	return &pluginv2.SubscribeStreamResponse{Data: initial, Status: status}, err
}

// PublishStream implements pluginv2.StreamServer.
func (s streamServer) PublishStream(ctx context.Context, in *pluginv2.PublishStreamRequest) (*pluginv2.PublishStreamResponse, error) {
	if s.publish == nil {
		return nil, errNoHandler("PublishStream")
	}
	published, status, err := answer(ctx, in, s.publish)
	return &pluginv2.PublishStreamResponse{Data: published, Status: pluginv2.PublishStreamResponse_Status(status)}, err
}

// answer calls the handler of a request about a channel. If the handler denies access, the
// status says so, and has the same number in both types of response.
func answer(ctx context.Context, in wireRequest, handle func(context.Context, *StreamRequest) (json.RawMessage, error)) (
	data json.RawMessage, status pluginv2.SubscribeStreamResponse_Status, err error) {
	req := streamRequest(in)
	ctx = withContext(ctx, req.Context, req.Headers)
	data, err = handle(ctx, req)
	switch statusOf(err) {
	case http.StatusNotFound:
		status = pluginv2.SubscribeStreamResponse_NOT_FOUND
	case http.StatusForbidden:
		status = pluginv2.SubscribeStreamResponse_PERMISSION_DENIED
	default:
		if err != nil {
			err = rpcError(ctx, err)
		}
		return data, 0, err
	}
	code, source, message := describe(err)
	loggerOf(ctx).InfoContext(ctx, "access to a channel was denied", "path", req.Path, "status", code, "error", err)
	_ = grpc.SetTrailer(ctx, trailer(code, source, message)) // hosts can do without
	return nil, status, nil
}

// RunStream implements pluginv2.StreamServer.
func (s streamServer) RunStream(in *pluginv2.RunStreamRequest, stream pluginv2.Stream_RunStreamServer) error {
	if s.run == nil {
		return errNoHandler("RunStream")
	}
	req := streamRequest(in)
	ctx := withContext(stream.Context(), req.Context, req.Headers)
	to := &StreamSender{send: func(text json.RawMessage) error { return stream.Send(&pluginv2.StreamPacket{Data: text}) }}
	err := s.run(ctx, req, to)
	to.close()
	switch {
	case err == nil:
		return nil
	case isFinal(err):
		code, source, message := describe(err)
		loggerOf(ctx).WarnContext(ctx, "a stream ended for good", "path", req.Path, "status", code, "errorSource", source, "error", err)
		stream.SetTrailer(trailer(code, source, message))
		return nil
	}
	return rpcError(ctx, err)
}

// wireRequest is any of the three requests.
type wireRequest interface {
	GetPluginContext() *pluginv2.PluginContext
	GetHeaders() map[string]string
	GetPath() string
	GetData() []byte
}

func streamRequest(in wireRequest) *StreamRequest {
	return &StreamRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders(), Path: in.GetPath(), Data: in.GetData()}
}

// isFinal reports whether running the stream again would not help.
func isFinal(err error) bool {
	return wire.IsFinal(statusOf(err))
}

// statusOf returns the status of an *Error, or 0.
func statusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e.Status
	}
	return 0
}

func trailer(code int, source Source, message string) metadata.MD {
	return metadata.Pairs(wire.TrailerStatus, strconv.Itoa(code), wire.TrailerSource, string(source), wire.TrailerMessage, message)
}
