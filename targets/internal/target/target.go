// Package target contains what the packages of targets share.
package target

import (
	"errors"
	"strings"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/verbs"
)

// Exit returns an error with which Mage exits with the code of err.
func Exit(err error) error {
	e, ok := errors.AsType[*verbs.ExitError](err)
	if !ok {
		return err
	}
	text := strings.TrimSpace(e.Error())
	switch { // without a text, the report contains the reason
	case text == "" && e.Code == verbs.ExitBroken:
		text = "validate is incomplete: some checks could not run"
	case text == "":
		text = "validate found errors"
	}
	return mg.Fatal(e.Code, text)
}

// Value returns the value of an option, or "" if it was not given.
func Value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
