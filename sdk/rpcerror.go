package sdk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// The keys of the ErrorInfo that goes with the error of a whole call. The first is
// that of the published protocol.
const (
	infoSource = "errorSource"
	infoStatus = "httpStatus"
)

// rpcError makes the error of a whole call: the message for users goes over the
// wire, the cause goes to the log.
func rpcError(ctx context.Context, err error) error {
	if isCanceled(ctx, err) {
		return status.FromContextError(context.Canceled).Err()
	}
	code, source, message := describe(err)
	logOf(ctx).ErrorContext(ctx, "a call failed", "status", code, "errorSource", source, "error", err)
	s := status.New(grpcCode(code), wireText(message))
	if detailed, err := s.WithDetails(&errdetails.ErrorInfo{
		Metadata: map[string]string{infoSource: string(source), infoStatus: strconv.Itoa(code)},
	}); err == nil {
		s = detailed
	}
	return s.Err()
}

// CallError turns the gRPC error of a call to a plugin into ErrUnsupported, a context's error or
// an *Error with the status and the source that the plugin gave, or else those that
// fit its gRPC code. Clients of further services use it; those of Client do so already.
func CallError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s, _ := status.FromError(err)
	if s.Code() == codes.Unimplemented {
		return fmt.Errorf("%w: %s", ErrUnsupported, s.Message())
	}
	e := &Error{Status: httpStatus(s.Code()), Source: SourcePlugin, Message: s.Message()}
	for _, detail := range s.Details() {
		info, ok := detail.(*errdetails.ErrorInfo)
		if !ok {
			continue
		}
		switch source := Source(info.GetMetadata()[infoSource]); source {
		case SourcePlugin, SourceDownstream:
			e.Source = source
		}
		if code, err := strconv.Atoi(info.GetMetadata()[infoStatus]); err == nil && code >= 400 && code <= 599 {
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
	code, err := strconv.Atoi(first(trailerStatus))
	if err != nil {
		return nil
	}
	return &Error{Status: code, Source: Source(first(trailerSource)), Message: first(trailerMessage)}
}

// grpcCode leaves out the codes that hosts take for a fault of the connection:
// Unavailable, ResourceExhausted and DeadlineExceeded. The exact status is in the
// ErrorInfo.
func grpcCode(httpStatus int) codes.Code {
	switch httpStatus {
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.NotFound
	}
	return codes.Unknown
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
