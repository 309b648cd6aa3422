// Package text shortens, counts and recognizes text for messages. What a message says is up
// to the caller.
package text

import (
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Cut returns the first bytes of a string, at most n, without a part of a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten is Cut with an ellipsis after a string that it cuts.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Cut(s, n) + "..."
}

// Plural returns a number with its noun, such as "1 check" or "2 checks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

var crash = regexp.MustCompile(`^(panic|fatal error|runtime|SIG[A-Z]+): `)

// IsPanic reports whether a line is the first one of a panic, or of another crash of a Go
// program.
func IsPanic(line string) bool { return crash.MatchString(line) }
