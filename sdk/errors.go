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
	"syscall"
)

// Source says whose fault an error is.
type Source string

// The sources of errors.
const (
	SourcePlugin     Source = "plugin"     // the plugin itself
	SourceDownstream Source = "downstream" // what the plugin talks to, or the query
)

// Error is what a handler returns when it can say more than "it failed". It is the
// same for queries, health, resources and streams: users see Message, the host
// counts Status and Source, and the log has Cause.
//
// An error that is no *Error counts as the plugin's, with status 500, and its text
// is shown, so do not put secrets into it. Two are known better: what net and
// net/http return when a service cannot be reached is downstream with status 502,
// or 504 for a time-out, and its text, which may hold addresses, goes to the log
// only.
type Error struct {
	Status  int    // HTTP status from 400 to 599; anything else is 500
	Source  Source // "" for the plugin
	Message string // for users; says nothing secret
	Cause   error  // for the log, or nil
}

// Error returns the message and the cause; it is meant for logs.
func (e *Error) Error() string {
	if e == nil {
		return "an error that is a nil *sdk.Error: return a plain nil instead"
	}
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Cause
}

// Errorf makes an error of the plugin's own with a message for users.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Source: SourcePlugin, Message: fmt.Sprintf(format, args...)}
}

// Downstreamf makes an error of the query or of what the plugin talks to, with a
// message for users.
func Downstreamf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Source: SourceDownstream, Message: fmt.Sprintf(format, args...)}
}

// Downstream makes an error of what the plugin talks to. message is for users,
// cause for the log. The status is that of an *Error in the cause, 504 for a time-out,
// and 502 for the rest; set Status to say otherwise.
func Downstream(message string, cause error) *Error {
	status, _ := reachability(cause)
	if e, ok := errors.AsType[*Error](cause); ok && e != nil {
		status = e.Status
	} else if status == http.StatusInternalServerError {
		status = http.StatusBadGateway
	}
	return &Error{Status: status, Source: SourceDownstream, Message: message, Cause: cause}
}

// FromStatus makes an error of an upstream's answer that is no success: 401, 403, 404,
// 429 and 504 stay what they are, other 4xx are 400 and the rest is 502, all downstream.
// message is for users.
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
	return &Error{Status: status, Source: SourceDownstream, Message: message, Cause: fmt.Errorf("the upstream answered %d %s", code, http.StatusText(code))}
}

// reachability gives the status of an error of the network, and words that name no
// address; "" for any other error.
func reachability(err error) (status int, message string) {
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	var dns *net.DNSError
	var address *url.Error
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, "the upstream service did not answer in time"
	case errors.As(err, &dns):
		return http.StatusBadGateway, "the name of the upstream service was not found"
	case errors.Is(err, syscall.ECONNREFUSED):
		return http.StatusBadGateway, "the upstream service refused the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.ErrUnexpectedEOF):
		return http.StatusBadGateway, "the upstream service broke off the connection"
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &record):
		return http.StatusBadGateway, "the certificate of the upstream service could not be verified"
	case errors.As(err, &op), errors.As(err, &address):
		return http.StatusBadGateway, "the upstream service could not be reached"
	}
	return http.StatusInternalServerError, ""
}

// statusCanceled is what proxies log for a caller that gave up.
const statusCanceled = 499

// AsError says what becomes of any error that a handler returns: who sees what. It
// returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	status, source, message := describe(err)
	return &Error{Status: status, Source: source, Message: message, Cause: err}
}

// describe gives the status, source and user's message of any error.
func describe(err error) (status int, source Source, message string) {
	e, ok := errors.AsType[*Error](err)
	switch {
	case ok && e != nil:
		status, source, message = e.Status, e.Source, e.Message
	case errors.Is(err, context.Canceled):
		return statusCanceled, SourceDownstream, "the request was cancelled"
	default:
		if status, message = reachability(err); message != "" {
			return status, SourceDownstream, message
		}
		message = fmt.Sprint(err)
	}
	if status < 400 || status > 599 { // no status of an error
		status = http.StatusInternalServerError
	}
	if source == "" {
		source = SourcePlugin
	}
	if message = cmp.Or(message, http.StatusText(status)); message == "" {
		message = fmt.Sprintf("it failed with status %d", status)
	}
	return status, source, message
}
