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

// callError turns the gRPC error of a call to a plugin into ErrUnsupported, a context's error or
// an *sdk.Error with the status and the source that the plugin gave, or else those that
// fit its gRPC code. Clients of further services use it; those of Client do so already.
func callError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
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
		switch source := sdk.Source(info.GetMetadata()[wire.InfoSource]); source {
		case sdk.SourcePlugin, sdk.SourceDownstream:
			e.Source = source
		}
		if code, err := strconv.Atoi(info.GetMetadata()[wire.InfoStatus]); err == nil && code >= 400 && code <= 599 {
			e.Status = code
		}
		return e
	}
	switch s.Code() {
	case codes.Unavailable, codes.Canceled: // cancelled by the end of the process; gRPC's words name sockets
		e.Message, e.Cause = "the connection to the plugin was lost", err
	case codes.Internal:
		e.Message, e.Cause = "the plugin failed on this call: its log may say why", err
	}
	return e
}

// finalError is why a stream has ended for good, from its trailer; nil when nothing
// was wrong.
func finalError(trailer metadata.MD) error {
	first := func(key string) string {
		if values := trailer.Get(key); len(values) > 0 {
			return values[0]
		}
		return ""
	}
	code, err := strconv.Atoi(first(wire.TrailerStatus))
	if err != nil {
		return nil
	}
	return &sdk.Error{Status: code, Source: sdk.Source(first(wire.TrailerSource)), Message: first(wire.TrailerMessage)}
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
