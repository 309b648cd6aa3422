package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// QueryDataHandler is implemented by instances that handle queries. See [QueryDataFunc].
type QueryDataHandler interface {
	QueryData(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error)
}

// CheckHealthHandler is implemented by instances with a health check. See
// [CheckHealthFunc].
type CheckHealthHandler interface {
	CheckHealth(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error)
}

// StreamHandler is implemented by instances with channels. See [SubscribeStreamFunc]
// and [RunStreamFunc].
type StreamHandler interface {
	SubscribeStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error)
	RunStream(ctx context.Context, req *StreamRequest, to *StreamSender) error
}

// PublishStreamHandler is implemented by instances with channels that users can send
// to. See [PublishStreamFunc].
type PublishStreamHandler interface {
	PublishStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error)
}

// Plugin returns a plugin whose handlers are the methods of T, which may implement
// [QueryDataHandler], [CheckHealthHandler], [StreamHandler], [PublishStreamHandler], and
// [http.Handler] for resources. If an instance cannot be created, its health check
// reports why. Plugin panics if T has only some of the methods of one of these interfaces, or a
// method with a different signature, since such a method would never be called.
func (i *Instances[T]) Plugin() Plugin {
	p := Plugin{Close: i.Close}
	t := reflect.TypeFor[T]()
	implements[io.Closer](t)
	if _, found := t.MethodByName("Dispose"); found {
		panic(fmt.Sprintf("sdk: %s.Dispose is never called; rename it to Close() error", t))
	}
	if implements[QueryDataHandler](t) {
		p.QueryData = held(i, QueryDataHandler.QueryData)
	}
	if implements[CheckHealthHandler](t) {
		p.CheckHealth = held(i, CheckHealthHandler.CheckHealth)
	}
	if implements[http.Handler](t) {
		p.Resources = HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
			_, err := with(r.Context(), i, func(_ context.Context, v T) (struct{}, error) {
				any(v).(http.Handler).ServeHTTP(w, r)
				return struct{}{}, nil
			})
			return err
		})
	}
	if implements[StreamHandler](t) {
		p.SubscribeStream = held(i, StreamHandler.SubscribeStream)
		p.RunStream = func(ctx context.Context, req *StreamRequest, to *StreamSender) error {
			_, err := with(ctx, i, func(live context.Context, v T) (struct{}, error) {
				return struct{}{}, runWhile(ctx, live, func(ctx context.Context) error {
					return any(v).(StreamHandler).RunStream(ctx, req, to)
				})
			})
			return err
		}
	}
	if implements[PublishStreamHandler](t) {
		p.PublishStream = held(i, PublishStreamHandler.PublishStream)
	}
	return p
}

// held returns a handler that calls a method of the instance of the call.
func held[T, H, Req, R any](i *Instances[T], method func(H, context.Context, Req) (R, error)) func(context.Context, Req) (R, error) {
	return func(ctx context.Context, req Req) (R, error) {
		return with(ctx, i, func(_ context.Context, v T) (R, error) { return method(any(v).(H), ctx, req) })
	}
}

func with[T, R any](ctx context.Context, i *Instances[T], do func(live context.Context, v T) (R, error)) (result R, err error) {
	held, err := i.hold(ctx, ContextOf(ctx))
	if err != nil {
		return result, err
	}
	defer i.release(held)
	return do(held.live, held.value)
}

// runWhile runs a stream until its instance is retired.
func runWhile(ctx, live context.Context, run func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(live, func() { cancel(ErrSettingsChanged) })
	defer stop()
	err := run(ctx)
	if errors.Is(context.Cause(ctx), ErrSettingsChanged) {
		return &Error{Status: http.StatusServiceUnavailable, Message: "the settings have changed; run the stream again", Cause: err}
	}
	return err
}

// implements reports whether t implements the interface H. It panics if t has only some
// of its methods, or one with another signature.
func implements[H any](t reflect.Type) bool {
	h := reflect.TypeFor[H]()
	if t.Implements(h) {
		return true
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(h) {
		panic(fmt.Sprintf("sdk: %s does not implement %s, but a pointer to it does; return a pointer from the function that creates "+
			"instances", t, h))
	}
	for has := range t.Methods() {
		if want, named := h.MethodByName(has.Name); named {
			panic(fmt.Sprintf("sdk: %s does not implement %s: have %s%s, want %s%s",
				t, h, has.Name, strings.TrimPrefix(has.Type.String(), "func"), has.Name, strings.TrimPrefix(want.Type.String(), "func")))
		}
	}
	return false
}
