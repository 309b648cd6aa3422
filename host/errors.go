// Package host defines the types and rules of the reference host: playlists, folders,
// dashboards, data sources, service accounts, tokens, roles and what each of them may do.
//
// It rejects anything that breaks a rule, with an error in one of the categories. It
// does not know how data is stored or how requests arrive. Callers pass in time and
// randomness.
package host

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Categories of errors, to be tested with errors.Is. The *Error around a category holds
// the message for the user.
var (
	ErrInvalid      = errors.New("invalid")             // the request breaks a rule
	ErrUnauthorized = errors.New("unauthorized")        // the caller is unknown
	ErrForbidden    = errors.New("forbidden")           // the caller lacks a permission
	ErrNotFound     = errors.New("not found")           // no such thing in this organization
	ErrDuplicate    = errors.New("already exists")      // the name or uid is taken
	ErrStale        = errors.New("stale version")       // the caller has not seen the latest version
	ErrGone         = errors.New("no longer available") // the feature was retired
	ErrThrottled    = errors.New("too many attempts")   // the caller has to wait
	ErrUnavailable  = errors.New("unavailable")         // a setting or a resource is missing
	ErrFull         = errors.New("storage is full")     // the disk of the database is full
	ErrUpstream     = errors.New("bad gateway")         // a service behind the host failed
	ErrTimeout      = errors.New("gateway timeout")     // a service behind the host did not respond
)

// Error is an error with a message for the user.
type Error struct {
	Category error  // one of the Err values above
	Field    string // the invalid field, such as "items[0].type"; "" if there is none
	Message  string // the reason and, if it helps, what to do
	ID       string // a stable identifier for programs; usually ""

	Wait time.Duration // before the caller should try again; 0 if that is unknown
}

// Error returns the field, if there is one, and the message.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns the category.
func (e *Error) Unwrap() error { return e.Category }

// Invalid reports an invalid field.
func Invalid(field, format string, args ...any) error {
	return &Error{Category: ErrInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound reports that something, such as a "Playlist", does not exist.
func NotFound(what string) error {
	return &Error{Category: ErrNotFound, Message: what + " not found"}
}

// Duplicate reports that the value of a field is taken.
func Duplicate(field, format string, args ...any) error {
	return &Error{Category: ErrDuplicate, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Forbidden reports that the caller lacks a permission.
func Forbidden(format string, args ...any) error {
	return &Error{Category: ErrForbidden, Message: fmt.Sprintf(format, args...)}
}

// Unauthorized reports that the caller is unknown.
func Unauthorized(format string, args ...any) error {
	return &Error{Category: ErrUnauthorized, Message: fmt.Sprintf(format, args...)}
}

// TooMany reports that there are as many things, such as "API keys", as there can be.
func TooMany(what string, most int) error {
	return &Error{Category: ErrThrottled, ID: "quota", Message: "the maximum is " + strconv.Itoa(most) + " " + what + "; delete what is not in use"}
}
