package ranges

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a syntax error in a range.
type Error struct {
	Offset  int // of the first invalid byte
	End     int // of the first byte after them
	Problem string
	Help    string
}

// Error returns "problem: help".
func (e *Error) Error() string { return e.Problem + ": " + e.Help }

// unexpected returns the error for the text at the parser's position.
func (p *parser) unexpected() error {
	rest := p.rest()
	word := rest
	if i := strings.IndexFunc(rest, isSpace); i >= 0 {
		word = rest[:i]
	}
	_, size := utf8.DecodeRuneInString(rest)
	end := p.at + size
	switch {
	case rest == "":
		return p.error(max(p.at-1, 0), p.at, "expected a number after the dot", "add it, or delete the dot")
	case rest[0] == ',':
		return p.error(p.at, end, "unexpected comma between two conditions", "use a space")
	case rest[0] == '!':
		return p.error(p.at, p.at+len(word), "ranges cannot exclude a version", "write which versions are allowed, such as <9.4.0 || >9.4.0")
	case rest[0] == '|':
		return p.error(p.at, end, "unexpected |", "write || between alternatives")
	case strings.HasPrefix(rest, "&&"):
		return p.error(p.at, p.at+2, "unexpected && between two conditions", "use a space")
	case rest[0] == '-':
		return p.error(p.at, end, "unexpected hyphen", "write a range of two versions as 9.4.0 - 10.3.0, with spaces around the hyphen")
	case strings.ContainsRune("<>=~^", rune(rest[0])):
		return p.error(p.at, end, "expected a space between two conditions", "add one")
	case rest[0] == '.' && p.at > 0 && p.text[p.at-1] != '.':
		return p.error(p.at, p.at+len(word), "versions have at most three numbers", "delete the rest")
	}
	return p.error(p.at, p.at+len(word), fmt.Sprintf("invalid version %q", word), "write a version such as 10.3.0 or 10.x")
}

func (p *parser) error(from, to int, problem, help string) error {
	return &Error{Offset: from, End: to, Problem: problem, Help: help}
}
