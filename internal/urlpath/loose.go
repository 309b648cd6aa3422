package urlpath

import (
	"strings"
	"unicode"
)

// Loose returns the name that a careless server reads in a decoded segment: decoded
// repeatedly, without parameters and without trailing dots and spaces.
func Loose(segment string) string {
	for {
		decoded := decode(foldLookalikes(segment))
		if decoded == segment {
			break
		}
		segment = decoded
	}
	name, _, _ := strings.Cut(segment, ";")
	return strings.TrimRightFunc(name, func(r rune) bool {
		return r == '.' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
	})
}
