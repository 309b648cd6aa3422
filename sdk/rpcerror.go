package sdk

import (
	"context"
	"net/http"
	"strconv"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
)

// rpcError makes the error of a whole call: the message for users goes over the
// wire, the cause goes to the log.
func rpcError(ctx context.Context, err error) error {
	if isCanceled(ctx, err) {
		return status.FromContextError(context.Canceled).Err()
	}
	code, source, message := describe(err)
	logOf(ctx).ErrorContext(ctx, "a call failed", "status", code, "errorSource", source, "error", err)
	return errorWithInfo(grpcCode(code), message, &errdetails.ErrorInfo{
		Metadata: map[string]string{wire.InfoSource: string(source), wire.InfoStatus: strconv.Itoa(code)},
	})
}

// errorWithInfo returns a gRPC error with a detail.
func errorWithInfo(code codes.Code, message string, info *errdetails.ErrorInfo) error {
	s := status.New(code, wire.Text(message))
	if detailed, err := s.WithDetails(info); err == nil {
		s = detailed
	}
	return s.Err()
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
