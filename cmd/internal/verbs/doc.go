// Package verbs implements the verbs that the command slipway and the Mage targets
// share, such as scaffold, init, validate, build and package. It reads options,
// prints for people and chooses exit statuses; the packages it calls do the work. Messages
// spell options and commands through [Face] (face.go), as their reader can type them.
//
// The verbs that need a host, such as dev, have only their rows here: slipway-host has the rest, so that
// the first run in a plugin repository does not compile a host.
package verbs

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// The exit statuses of every verb.
const (
	ExitOK       = 0
	ExitFindings = 1 // findings, or the work failed
	ExitUsage    = 2 // invalid options or arguments
	ExitBroken   = 3 // a check could not run
)

// ExitError is an error with the exit status that the program ends with.
type ExitError struct {
	Code int
	Err  error // nil if everything has been printed already
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

// Usage returns an error with the code ExitUsage.
func Usage(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// isTerminal reports whether a file is a terminal that supports colors and redrawing.
func isTerminal(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// asTerminal returns a file that is a terminal, on which to ask questions, or nil.
func asTerminal(f *os.File) io.Reader {
	if !isTerminal(f) {
		return nil
	}
	return f
}
