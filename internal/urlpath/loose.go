package urlpath

import (
	"strings"
	"unicode"
)

// Loose returns the names that a careless server reads in a decoded segment: decoded
// repeatedly, split at slashes, without parameters and without trailing dots and spaces.
func Loose(segment string) (names []string) {
	for decoded := decode(foldLookalikes(segment)); decoded != segment; decoded = decode(foldLookalikes(segment)) {
		segment = decoded
	}
	for part := range strings.FieldsFuncSeq(segment, isSlash) {
		name, _, _ := strings.Cut(part, ";")
		names = append(names, strings.TrimRightFunc(name, func(r rune) bool {
			return r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
		}))
	}
	return names
}
