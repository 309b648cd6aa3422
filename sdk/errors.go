package sdk

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
)

// Source is the origin of an error.
type Source string

// The sources of errors.
const (
	SourcePlugin     Source = "plugin"     // the plugin itself
	SourceDownstream Source = "downstream" // a service that the plugin calls, or the query
)

// Error is an error with a status, a source and a message for users. Every handler may
// return one: users see Message, the host records Status and Source, and Cause goes to
// the log.
//
// Any other error becomes a plugin error with status 500, and users see its text, so it
// must not contain secrets. There are two exceptions. Errors from net and net/http for a
// service that cannot be reached, and errors that wrap [io.ErrUnexpectedEOF], become
// downstream errors with status 502, or 504 for a timeout, and their text, which can
// contain addresses, goes only to the log. An error that wraps
// [context.DeadlineExceeded], or that has a method Timeout that returns true, counts as a
// timeout. An error that wraps [context.Canceled] becomes a downstream error with status
// 499.
type Error struct {
	Status  int    // HTTP status from 400 to 599; other values mean 500
	Source  Source // "" means SourcePlugin
	Message string // for users
	Cause   error  // for the log, or nil
}

// Error returns the message and the cause, for logs; only the cause if it repeats the message.
func (e *Error) Error() string {
	if e == nil {
		return "nil *sdk.Error: return an untyped nil instead"
	}
	if e.Cause == nil {
		return e.Message
	}
	cause := e.Cause.Error()
	if strings.Contains(cause, e.Message) {
		return cause
	}
	return e.Message + ": " + cause
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// Errorf returns a plugin error with a message for users.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Source: SourcePlugin, Message: fmt.Sprintf(format, args...)}
}

// Downstreamf returns an error caused by the query or by a service that the plugin
// calls, with a message for users.
func Downstreamf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Source: SourceDownstream, Message: fmt.Sprintf(format, args...)}
}

// Downstream returns an error caused by a service that the plugin calls, with a message
// for users and a cause for the log. If cause wraps an *Error, the status is that of
// the *Error. Otherwise it is 504 for a timeout and 502 for any other cause.
func Downstream(message string, cause error) *Error {
	status, _ := reachability(cause)
	if e, ok := errors.AsType[*Error](cause); ok && e != nil {
		status = e.Status
	} else if status == http.StatusInternalServerError {
		status = http.StatusBadGateway
	}
	return &Error{Status: status, Source: SourceDownstream, Message: message, Cause: cause}
}

// FromStatus returns the error for an unsuccessful response from a service that the
// plugin calls, with a message for users. The status codes 401, 403, 404, 429 and 504
// are kept, other 4xx become 400, and the rest become 502.
func FromStatus(code int, message string) *Error {
	status := http.StatusBadGateway
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound, code == http.StatusTooManyRequests:
		status = code
	case code >= http.StatusBadRequest && code < http.StatusInternalServerError:
		status = http.StatusBadRequest
	case code == http.StatusGatewayTimeout:
		status = code
	}
	return &Error{Status: status, Source: SourceDownstream, Message: message,
		Cause: fmt.Errorf("the upstream service responded with %d %s", code, http.StatusText(code))}
}

// AsError returns the *Error that the host records for err when a handler returns it,
// with err as the cause. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	status, source, message := describe(err)
	return &Error{Status: status, Source: source, Message: message, Cause: err}
}

// statusCanceled is the status that proxies log when the client closed the request.
const statusCanceled = 499

// describe returns the status, the source and the message for users of any error.
func describe(err error) (status int, source Source, message string) {
	e, ok := errors.AsType[*Error](err)
	switch {
	case ok && e != nil:
		status, source, message = e.Status, e.Source, e.Message
	case errors.Is(err, context.Canceled):
		return statusCanceled, SourceDownstream, "the request was canceled"
	default:
		if status, message = reachability(err); message != "" {
			return status, SourceDownstream, message
		}
		message = fmt.Sprint(err)
	}
	if status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	source = cmp.Or(source, SourcePlugin)
	if message = cmp.Or(message, http.StatusText(status)); message == "" {
		message = fmt.Sprintf("failed with status %d", status)
	}
	return status, source, message
}

// reachability returns the status of a network error and a message that contains no
// address. The message is "" for any other error.
func reachability(err error) (status int, message string) {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, "the upstream service timed out"
	case is[*net.DNSError](err):
		return http.StatusBadGateway, "the host name of the upstream service was not found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "the upstream service refused the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadGateway, "the upstream service closed the connection"
	case is[*tls.CertificateVerificationError](err), is[x509.UnknownAuthorityError](err), is[tls.RecordHeaderError](err):
		return http.StatusBadGateway, "the certificate of the upstream service could not be verified"
	case is[*net.OpError](err), is[*url.Error](err):
		return http.StatusBadGateway, "the upstream service could not be reached"
	}
	return http.StatusInternalServerError, ""
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// rpcError returns the gRPC error of a failed call, with the message for users, and logs the cause.
func rpcError(ctx context.Context, err error) error {
	if isCanceled(ctx, err) {
		return status.FromContextError(context.Canceled).Err()
	}
	code, source, message := describe(err)
	loggerOf(ctx).ErrorContext(ctx, "a call failed", "status", code, "errorSource", source, "error", err)
	return errorWithInfo(grpcCode(code), message, &errdetails.ErrorInfo{
		Metadata: map[string]string{wire.InfoSource: string(source), wire.InfoStatus: strconv.Itoa(code)},
	})
}

func errorWithInfo(code codes.Code, message string, info *errdetails.ErrorInfo) error {
	s := status.New(code, wire.Text(message))
	if detailed, err := s.WithDetails(info); err == nil {
		s = detailed
	}
	return s.Err()
}

// grpcCode avoids the codes that hosts take for a lost connection: Unavailable,
// ResourceExhausted and DeadlineExceeded. The ErrorInfo has the exact status.
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

// errNoHandler returns the error for a call without a handler, in a gRPC service that has others.
func errNoHandler(call string) error {
	return status.Error(codes.Unimplemented, "the plugin has no handler for "+call)
}

// isCanceled reports whether a call failed because the caller canceled it.
func isCanceled(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.Canceled) && (errors.Is(err, context.Canceled) || status.Code(err) == codes.Canceled)
}
