// Package text shortens, counts, locates and recognizes text for messages. What a message says is up
// to the caller.
package text

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
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

// LineColumn returns the line and the column of an offset, both from 1. A column is a byte.
func LineColumn(s []byte, offset int) (line, column int) {
	before := s[:max(0, min(offset, len(s)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// Plural returns a number with its noun, such as "1 check" or "2 checks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Wrap breaks a text into lines of at most width bytes, as far as its words allow. It begins all but the first
// with an indent, which the caller has printed before the first, or as many bytes.
func Wrap(s, indent string, width int) string {
	var b strings.Builder
	at := len(indent)
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case at+1+len(word) > width:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}

var (
	crash = regexp.MustCompile(`^(panic|fatal error|runtime|SIG[A-Z]+): `)
	frame = regexp.MustCompile(`(?m)^(\S.*)\n\t(\S.*:\d+)(?: \+0x[0-9a-f]+)?$`) // a function, and its place
)

// IsPanic reports whether a line begins a panic, or another crash of a Go program.
func IsPanic(line string) bool { return crash.MatchString(line) }

// OwnFrames returns the part of a Go stack trace from the first to the last function of the program
// itself, rather than of Go or of a module that it requires, and the place of the first one, such as
// example.com/hello/main.go:7. Both are "" if there is none.
func OwnFrames(trace string) (part, place string) {
	from, to := 0, 0
	for _, m := range frame.FindAllStringSubmatchIndex(trace, -1) {
		function, at := trace[m[2]:m[3]], trace[m[4]:m[5]]
		first, _, hasPath := strings.Cut(function, "/")
		isOfModule := hasPath && strings.Contains(first, ".") && !strings.Contains(first, " ") // "created by" has a space
		if strings.Contains(at, "@") || !strings.HasPrefix(function, "main.") && !isOfModule {
			continue // a generic function of a module can be named after the function that calls it
		}
		if to = m[1]; place == "" {
			from, place = m[0], at
		}
	}
	return trace[from:to], place
}
