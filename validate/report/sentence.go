package report

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentence ends a text with a full stop and begins it with a capital letter where
// it begins with a plain word.
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

// lineColumn turns an offset of a text into a line and a column, both from 1.
func lineColumn(text []byte, offset int) (line, column int) {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
