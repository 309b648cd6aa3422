package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

// ErrUnsupported is returned by a call that the plugin has no handler for.
var ErrUnsupported = errors.New("the plugin does not support this call")

// callError returns the error for a gRPC error: that of ctx, ErrUnsupported, or an *sdk.Error with
// what the plugin sent, or with what matches the gRPC code.
func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok { // of the connection
		return e
	}
	s, _ := status.FromError(err)
	if s.Code() == codes.Unimplemented {
		return fmt.Errorf("%w: %s", ErrUnsupported, s.Message())
	}
	e := &sdk.Error{Status: httpStatus(s.Code()), Source: sdk.SourcePlugin, Message: s.Message()}
	for _, detail := range s.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if !ok {
			continue
		}
		reported(e, info.GetMetadata()[wire.InfoStatus], info.GetMetadata()[wire.InfoSource])
		return e
	}
	switch s.Code() {
	case codes.Unavailable, codes.Canceled: // also when the process exits; the text of gRPC contains socket names
		e.Message, e.Cause = "the connection to the plugin was lost", err
	case codes.ResourceExhausted: // of gRPC, never of a handler
		e.Status, e.Cause = http.StatusBadGateway, err
		e.Message = "the plugin's message is larger than the host accepts; return less, or a resource in parts: " + s.Message()
	case codes.Internal:
		e.Message, e.Cause = "the plugin failed on this call; its log may contain the reason", err
	}
	return e
}

// reported sets the status and source of an error to those that a plugin reported, if they are valid.
func reported(e *sdk.Error, status, source string) {
	if code, err := strconv.Atoi(status); err == nil && code >= 400 && code <= 599 {
		e.Status = code
	}
	switch s := sdk.Source(source); s {
	case sdk.SourcePlugin, sdk.SourceDownstream:
		e.Source = s
	}
}

// finalError returns the error in the trailer of a stream that ended for good, or nil.
func finalError(trailer metadata.MD) error {
	first := func(key string) string {
		if values := trailer.Get(key); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	if first(wire.TrailerStatus) == "" {
		return nil
	}
	e := &sdk.Error{Status: http.StatusBadGateway, Source: sdk.SourcePlugin, Message: first(wire.TrailerMessage)}
	reported(e, first(wire.TrailerStatus), first(wire.TrailerSource))
	return e
}

func httpStatus(code codes.Code) int {
	switch code {
	case codes.InvalidArgument:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.NotFound:
		return http.StatusNotFound
	case codes.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case codes.Unavailable, codes.Canceled:
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}
