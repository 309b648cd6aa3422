// Package terminal makes untrusted text safe to print.
//
// It owns which characters could control a terminal. It knows nothing about colors or
// about the layout of a report.
package terminal

import (
	"strings"
	"unicode"
)

// Line returns a text on one line, with U+FFFD for every control and format
// character, so that a hostile file cannot control the terminal.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
