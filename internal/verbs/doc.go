// Package verbs holds the verbs of the toolchain as a user types them: scaffold,
// validate, build. The command slipway and the Mage targets are two faces of the
// functions here. It prints for people and decides exit codes; the work is done in
// the packages it calls.
package verbs

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// The exit codes of every verb.
const (
	ExitOK       = 0
	ExitFindings = 1 // findings, or the work could not be done
	ExitUsage    = 2 // the request itself is wrong
	ExitBroken   = 3 // a check could not run
)

// ExitError is an error with the exit code it should end the program with.
type ExitError struct {
	Code int
	Err  error // nil when everything has been printed already
}

// Error returns the text of Err.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// usage marks a mistake in the request.
func usage(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// isTerminal says whether a file is a terminal that takes colour and redrawing.
func isTerminal(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}
