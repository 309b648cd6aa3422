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

// QueryDataHandler is implemented by instances that answer queries.
type QueryDataHandler interface {
	QueryData(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error)
}

// CheckHealthHandler is implemented by instances that know their health.
type CheckHealthHandler interface {
	CheckHealth(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error)
}

// StreamHandler is implemented by instances with channels. See SubscribeStreamFunc
// and RunStreamFunc.
type StreamHandler interface {
	SubscribeStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error)
	RunStream(ctx context.Context, req *StreamRequest, to *StreamSender) error
}

// PublishStreamHandler is implemented by instances with channels that users may send
// to. See PublishStreamFunc.
type PublishStreamHandler interface {
	PublishStream(ctx context.Context, req *StreamRequest) (json.RawMessage, error)
}

// Plugin makes a plugin of the instances. What it can do follows from the interfaces
// that T implements: QueryDataHandler, CheckHealthHandler, StreamHandler,
// PublishStreamHandler, and http.Handler for resources. A CheckHealth on settings
// that no instance can be made of reports why. Plugin panics when T has one of these
// methods with another signature, since it would never be called.
func (i *Instances[T]) Plugin() Plugin {
	p := Plugin{Close: i.Close}
	t := reflect.TypeFor[T]()
	implements[io.Closer](t)
	if _, found := t.MethodByName("Dispose"); found {
		panic(fmt.Sprintf("sdk: nobody calls the method Dispose of %s: name it Close and return an error", t))
	}
	if implements[QueryDataHandler](t) {
		p.QueryData = func(ctx context.Context, req *QueryDataRequest) (QueryDataResponse, error) {
			return with(ctx, i, func(_ context.Context, v T) (QueryDataResponse, error) {
				return any(v).(QueryDataHandler).QueryData(ctx, req)
			})
		}
	}
	if implements[CheckHealthHandler](t) {
		p.CheckHealth = func(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error) {
			return with(ctx, i, func(_ context.Context, v T) (*CheckHealthResult, error) {
				return any(v).(CheckHealthHandler).CheckHealth(ctx, req)
			})
		}
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
		p.SubscribeStream = func(ctx context.Context, req *StreamRequest) (json.RawMessage, error) {
			return with(ctx, i, func(_ context.Context, v T) (json.RawMessage, error) {
				return any(v).(StreamHandler).SubscribeStream(ctx, req)
			})
		}
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
		p.PublishStream = func(ctx context.Context, req *StreamRequest) (json.RawMessage, error) {
			return with(ctx, i, func(_ context.Context, v T) (json.RawMessage, error) {
				return any(v).(PublishStreamHandler).PublishStream(ctx, req)
			})
		}
	}
	return p
}

// with calls do with the instance of the call, held meanwhile.
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
		return &Error{Status: http.StatusServiceUnavailable, Message: "the settings have changed: run the stream again", Cause: err}
	}
	return err
}

// implements says whether T has the methods of an interface H. It panics when T has
// some of them only, or by name only.
func implements[H any](t reflect.Type) bool {
	h := reflect.TypeFor[H]()
	if t.Implements(h) {
		return true
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(h) {
		panic(fmt.Sprintf("sdk: only *%s has the methods of %s: let the function that makes instances return a pointer", t, h))
	}
	for has := range t.Methods() {
		if want, named := h.MethodByName(has.Name); named {
			panic(fmt.Sprintf("sdk: %s has the method %s%s, but is no %s, which asks for %s",
				t, has.Name, strings.TrimPrefix(has.Type.String(), "func"), h, want.Type))
		}
	}
	return false
}
