package host

import (
	"errors"
	"fmt"
)

// Categories of refusal. A caller finds the category with errors.Is; the text for
// a person is in the *Error around it.
var (
	ErrInvalid      = errors.New("invalid")             // the caller sent something that breaks a rule
	ErrUnauthorized = errors.New("unauthorized")        // nobody known is asking
	ErrForbidden    = errors.New("forbidden")           // somebody known asks for what they may not do
	ErrNotFound     = errors.New("not found")           // no such thing in this organisation
	ErrDuplicate    = errors.New("already exists")      // the name or uid is taken
	ErrStale        = errors.New("changed meanwhile")   // the caller has not seen the latest version
	ErrGone         = errors.New("no longer available") // it existed once and was retired for good
	ErrThrottled    = errors.New("too many attempts")   // asked too often; later it may work
	ErrUnavailable  = errors.New("unavailable")         // right now it cannot be done; later it may work
	ErrUpstream     = errors.New("bad upstream")        // the service behind the host cannot be used
	ErrTimeout      = errors.New("upstream too slow")   // the service behind the host does not answer
)

// Error is a refusal written for the person who has to act on it.
type Error struct {
	Category error  // one of the Err values above
	Field    string // what was wrong, as the caller spells it ("items[0].type"); "" if no single field
	Message  string // why, and what to do
	ID       string // a stable word for programs that branch on it; mostly ""
}

// Error returns the message, after the field if there is one.
func (e *Error) Error() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Unwrap returns the category.
func (e *Error) Unwrap() error { return e.Category }

// Invalid refuses the value of a field.
func Invalid(field, format string, args ...any) error {
	return &Error{Category: ErrInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// NotFound says that there is no such thing; what is its name in a sentence, such
// as "Playlist".
func NotFound(what string) error {
	return &Error{Category: ErrNotFound, Message: what + " not found"}
}

// Duplicate says that the value of a field is taken.
func Duplicate(field, format string, args ...any) error {
	return &Error{Category: ErrDuplicate, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Forbidden refuses a known caller.
func Forbidden(format string, args ...any) error {
	return &Error{Category: ErrForbidden, Message: fmt.Sprintf(format, args...)}
}

// Unauthorized refuses an unknown caller.
func Unauthorized(format string, args ...any) error {
	return &Error{Category: ErrUnauthorized, Message: fmt.Sprintf(format, args...)}
}
