package sdk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
)

// Source says whose fault an error is.
type Source string

// The sources of errors.
const (
	SourcePlugin     Source = "plugin"     // the plugin itself
	SourceDownstream Source = "downstream" // what the plugin talks to, or the query
)

// Error is what a handler returns when it can say more than "it failed". It
// works the same for queries, health and resources.
type Error struct {
	Status  int    // HTTP status, 0 for 500
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

// Downstream makes an error of what the plugin talks to. message is for users,
// cause for the log. A cause that is a time-out has the status 504, a failed name
// look-up or connection 502, anything else 500; set Status to say otherwise.
func Downstream(message string, cause error) *Error {
	return &Error{Status: downstreamStatus(cause), Source: SourceDownstream, Message: message, Cause: cause}
}

func downstreamStatus(err error) int {
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout
	case errors.As(err, &dns), errors.As(err, &op):
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}

// describe gives the status, source and user's message of any error. A plain
// error is shown as it is.
func describe(err error) (status int, source Source, message string) {
	var e *Error
	if !errors.As(err, &e) || e == nil {
		return http.StatusInternalServerError, SourcePlugin, fmt.Sprint(err)
	}
	status, source, message = e.Status, e.Source, e.Message
	if status == 0 {
		status = http.StatusInternalServerError
	}
	if source == "" {
		source = SourcePlugin
	}
	if message == "" {
		message = http.StatusText(status)
	}
	return status, source, message
}
