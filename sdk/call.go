package sdk

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"google.golang.org/grpc/metadata"
)

// call is what the SDK keeps in the context of each call of the protocol.
type call struct {
	plugin    Context           // on whose behalf
	forwarded map[string]string // headers by the host
	header    http.Header       // of a resource request, which has more than one value for a name
	logger    *slog.Logger
	trace     http.Header // W3C trace context and baggage of the caller, or nil
}

type callKey struct{}

// callOf returns the call; an empty one outside of one.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// withCall starts a call that logs to logger.
func withCall(ctx context.Context, logger *slog.Logger) context.Context {
	c := &call{logger: logger}
	for _, name := range traceHeaders() {
		if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
			if c.trace == nil {
				c.trace = http.Header{}
			}
			c.trace.Set(name, values[0])
		}
	}
	return context.WithValue(ctx, callKey{}, c)
}

// traceHeaders are the headers of W3C Trace Context and W3C Baggage.
func traceHeaders() [3]string { return [...]string{"traceparent", "tracestate", "baggage"} }

// ContextOf returns on whose behalf the call is made; the zero Context outside of
// one.
func ContextOf(ctx context.Context) Context { return callOf(ctx).plugin }

// withContext notes on whose behalf the call is made, and what the host forwarded.
func withContext(ctx context.Context, p Context, headers map[string]string) context.Context {
	c := *callOf(ctx)
	c.plugin, c.forwarded, c.header = p, headers, nil
	return context.WithValue(ctx, callKey{}, &c)
}

// forwardedPrefix is before the names of most headers that a host forwards.
const forwardedPrefix = "http_"

// ForwardedHeader returns the headers of the user's request that the host sent with
// the call, such as Authorization, X-Id-Token and Cookie. For resource requests they
// are those of the request. It is nil where there are none.
func ForwardedHeader(ctx context.Context) http.Header {
	c := callOf(ctx)
	if len(c.forwarded) == 0 {
		return c.header.Clone()
	}
	header := make(http.Header, len(c.forwarded))
	for name, value := range c.forwarded {
		header.Set(strings.TrimPrefix(name, forwardedPrefix), value)
	}
	return header
}

// TraceHeaders returns the W3C trace headers (traceparent, tracestate, baggage)
// that the host sent with the call, for requests made on its behalf. It is nil
// where there are none. sdk/httpclient sends them on by itself.
func TraceHeaders(ctx context.Context) http.Header { return callOf(ctx).trace.Clone() }

// logOf returns the logger of the call.
func logOf(ctx context.Context) *slog.Logger {
	if l := callOf(ctx).logger; l != nil {
		return l
	}
	return slog.Default()
}
