package nearest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const fewNames = 30

// Unknown returns the error for a word that is none of the known ones. It suggests
// the nearest of them, or lists them all; of many, it lists the three that differ least.
func Unknown(what, word string, known []string) error {
	if near := Name(word, known); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, word, near)
	}
	if len(known) > fewNames {
		sorted := slices.SortedStableFunc(slices.Values(known), func(a, b string) int { return cmp.Compare(Distance(word, a), Distance(word, b)) })
		return fmt.Errorf("unknown %s %q; the nearest are %s", what, word, strings.Join(sorted[:3], ", "))
	}
	return fmt.Errorf("unknown %s %q; use one of %s", what, word, strings.Join(known, ", "))
}
