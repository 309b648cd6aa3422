package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence adds a period, and capitalizes the first letter if it begins a plain word.
func sentence(s string) string {
	s = strings.TrimRight(s, " \n")
	if s == "" {
		return ""
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:") {
		s += "."
	}
	word, _, _ := strings.Cut(s, " ")
	if r, size := utf8.DecodeRuneInString(s); strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,:") == "" {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	return s
}
