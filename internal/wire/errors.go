package wire

import (
	"net/http"
	"slices"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Keys of the ErrorInfo that a plugin attaches to the error of a whole call. The
// published protocol defines the first.
const (
	InfoSource = "errorSource"
	InfoStatus = "httpStatus"
)

// Domain and ReasonPanic identify the ErrorInfo of a call whose handler panicked.
const (
	Domain      = "slipway.dev"
	ReasonPanic = "PANIC"
)

// Keys of the trailer of a stream that ended for good or was refused. A host that does
// not know them sees a stream that ended without an error, and does not run it again.
const (
	TrailerStatus  = "stream-status"
	TrailerSource  = "stream-error-source"
	TrailerMessage = "stream-message-bin" // the suffix "-bin" allows any bytes
)

// TrailerPanic is the key of the trailer of a QueryData call in which the handler of a
// single query panicked; its value is ReasonPanic. Such a call succeeds and has no
// ErrorInfo.
const TrailerPanic = "plugin-reason"

// IsPanic reports whether a call returned err or the trailer because a handler of
// the plugin panicked and the SDK recovered. Either may be nil.
func IsPanic(err error, trailer metadata.MD) bool {
	if slices.Contains(trailer.Get(TrailerPanic), ReasonPanic) {
		return true
	}
	s, _ := status.FromError(err)
	return slices.ContainsFunc(s.Details(), func(detail any) bool {
		info, ok := detail.(*errdetails.ErrorInfo)
		return ok && info.GetDomain() == Domain && info.GetReason() == ReasonPanic
	})
}

// IsFinal reports whether an error with an HTTP status ends a stream for good.
func IsFinal(status int) bool {
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError &&
		status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}
