package verbs

import (
	"io"

	"github.com/slipway-dev/slipway/validate/rulebook"
	"github.com/slipway-dev/slipway/validate/rules"
)

// Rules lists the rules of validate.
func Rules(w io.Writer) error { return rulebook.List(w, rules.All()) }

// Explain prints the purpose of a rule, how to fix its findings, and an example.
func Explain(w io.Writer, id string) error {
	rule, err := rules.ByID(id)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	return rulebook.Read(rule).Write(w)
}
