// Package terminal prints to terminals: it makes untrusted text safe, and has the colors.
//
// It determines which characters could control a terminal. It knows nothing about the layout of a report.
package terminal

import (
	"strings"
	"unicode"
)

// Printable replaces the control and format characters of a line, except tabs, with
// U+FFFD, so that a hostile file cannot control the terminal.
func Printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// Line returns a string as one printable line.
func Line(s string) string {
	return Printable(strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
}
