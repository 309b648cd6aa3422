package ranges

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is a range that cannot be read.
type Error struct {
	Offset  int    // of the bytes that are wrong
	End     int    // of the first byte after them
	Problem string // what is wrong
	Help    string // what to do
}

// Error returns what is wrong and what to do.
func (e *Error) Error() string { return e.Problem + ": " + e.Help }

// unexpected says what is wrong with the text at the parser's place.
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
		return p.fault(max(p.at-1, 0), p.at, "a number is missing here", "write it, or delete the dot")
	case rest[0] == ',':
		return p.fault(p.at, end, "a comma does not join two conditions", "put a space there instead")
	case rest[0] == '!':
		return p.fault(p.at, p.at+len(word), "a range cannot leave out single versions", "name what it admits, such as <9.4.0 || >9.4.0")
	case rest[0] == '|':
		return p.fault(p.at, end, "one | does not join alternatives", "write ||")
	case strings.HasPrefix(rest, "&&"):
		return p.fault(p.at, p.at+2, "&& does not join two conditions", "put a space there instead")
	case rest[0] == '-':
		return p.fault(p.at, end, "a hyphen stands for \"up to\" only between two versions", "write it as 9.4.0 - 10.3.0, with spaces around it")
	case strings.ContainsRune("<>=~^", rune(rest[0])):
		return p.fault(p.at, end, "two conditions run into each other", "put a space between them")
	case rest[0] == '.' && p.at > 0 && p.text[p.at-1] != '.':
		return p.fault(p.at, p.at+len(word), "a version has three numbers at most", "delete what follows them")
	}
	return p.fault(p.at, p.at+len(word), fmt.Sprintf("%q is not a version", word), "write numbers, such as 10.3.0 or 10.x")
}

func (p *parser) fault(from, to int, problem, help string) error {
	return &Error{Offset: from, End: to, Problem: problem, Help: help}
}
