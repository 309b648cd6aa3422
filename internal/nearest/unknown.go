package nearest

import (
	"fmt"
	"strings"
)

// Unknown returns the error for a word that is none of the known ones. It suggests
// the nearest of them, or lists them all.
func Unknown(what, word string, known []string) error {
	if near := Name(word, known); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, word, near)
	}
	return fmt.Errorf("unknown %s %q; use one of %s", what, word, strings.Join(known, ", "))
}
