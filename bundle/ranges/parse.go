package ranges

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse parses a range. Errors are of type *Error.
func Parse(text string) (Range, error) {
	if strings.TrimFunc(text, isSpace) == "" {
		return Range{}, &Error{0, len(text), "empty range", "write a range such as >=10.3.0, or * for every version"}
	}
	var r Range
	p := &parser{text: text}
	for {
		end := len(text)
		if i := strings.Index(text[p.at:], "||"); i >= 0 {
			end = p.at + i
		}
		p.end = end
		i, err := p.alternative()
		if err != nil {
			return Range{}, err
		}
		r.alternatives = append(r.alternatives, i)
		if end == len(text) {
			return r.simplified(), nil
		}
		p.at = end + len("||")
	}
}

// parser parses the alternative between at and end.
type parser struct {
	text    string
	at, end int
}

// alternative parses "A - B", or conditions with spaces between them.
func (p *parser) alternative() (interval, error) {
	p.space()
	start := p.at
	if i, ok := p.hyphen(); ok {
		return i, nil
	}
	p.at = start
	i := all()
	for p.at < p.end {
		condition, err := p.condition()
		if err != nil {
			return interval{}, err
		}
		i = i.and(condition)
		if p.at < p.end && p.space() == 0 {
			return interval{}, p.unexpected()
		}
	}
	return i, nil
}

// hyphen parses "A - B"; ok is false if the text is something else.
func (p *parser) hyphen() (i interval, ok bool) {
	low, err := p.version(true, true)
	if err != nil || p.space() == 0 || !p.take("-") || p.space() == 0 {
		return interval{}, false
	}
	start := p.at
	high, err := p.version(false, true)
	if err == nil && high.pre == "" && p.isPrefixed(start, high) { // node-semver normalizes a prerelease first
		return interval{}, false
	}
	p.space()
	if err != nil || p.at < p.end {
		return interval{}, false
	}
	return low.interval(">=").and(high.interval("<=")), true
}

// condition parses an optional operator and a partial version.
func (p *parser) condition() (interval, error) {
	start := p.at
	operator := ""
	switch {
	case p.take("~"):
		operator = "~"
		p.space()
		p.take(">")
	case p.take("^"):
		operator = "^"
	case p.take("<"), p.take(">"):
		operator = p.text[start:p.at]
		p.space()
		if p.take("=") {
			operator += "="
		}
	case p.take("="):
		if p.rest() != "" && (p.rest()[0] == '>' || p.rest()[0] == '<') {
			right := p.rest()[:1] + "="
			return interval{}, p.error(start, p.at+1, fmt.Sprintf("unknown operator %q", p.text[start:p.at+1]), "write "+right)
		}
	}
	if operator != "" || p.at > start {
		p.space()
	}
	if p.at == p.end {
		return interval{}, p.error(start, p.end, fmt.Sprintf("expected a version after %q", p.text[start:p.end]),
			"add one, or delete the operator")
	}
	isLoose := operator == "~" || operator == "^"
	version, err := p.version(!isLoose, isLoose)
	if err != nil {
		return interval{}, err
	}
	return version.interval(operator), nil
}

// version parses a partial version after any number of v and =, as node-semver does. If
// isStrict is set, only one v may precede a whole version. If mayGoOn is set, numbers
// after a wildcard are ignored.
func (p *parser) version(isStrict, mayGoOn bool) (partial, error) {
	start := p.at
	p.at = p.end - len(strings.TrimLeft(p.rest(), "v="))
	numbers := p.at
	v, err := p.partial(mayGoOn)
	if err == nil && isStrict && p.isPrefixed(start, v) {
		return v, p.error(start, numbers, fmt.Sprintf("unexpected %q before the version", p.text[start:numbers]), "delete it")
	}
	return v, err
}

// isPrefixed reports whether more than a v precedes a whole version.
func (p *parser) isPrefixed(start int, v partial) bool {
	text := p.text[start:p.at]
	prefix := text[:len(text)-len(strings.TrimLeft(text, "v="))]
	return v.known == 3 && prefix != "" && prefix != "v"
}

func (p *parser) rest() string { return p.text[p.at:p.end] }

// take skips a token if it is next.
func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.rest(), token) {
		return false
	}
	p.at += len(token)
	return true
}

// space skips white space and returns its length.
func (p *parser) space() int {
	n := len(p.rest()) - len(strings.TrimLeftFunc(p.rest(), isSpace))
	p.at += n
	return n
}

// isSpace reports whether r is white space in JavaScript.
func isSpace(r rune) bool { return r != 0x85 && unicode.IsSpace(r) || r == 0xFEFF }

// maxNumber is the largest number in a version that node-semver can increment.
const maxNumber = 1<<53 - 2

// partial parses up to three numbers or wildcards with dots between them. A prerelease
// may follow the third, and build metadata the last.
func (p *parser) partial(mayGoOn bool) (partial, error) {
	var v partial
	isOpen, isWhole := false, false
	for i := range v.numbers {
		if i > 0 && !p.take(".") {
			break
		}
		isWhole = i == 2
		start := p.at
		if p.take("x") || p.take("X") || p.take("*") {
			isOpen = true
			continue
		}
		n, err := p.number()
		if err != nil {
			return v, err
		}
		if isOpen && mayGoOn {
			continue
		}
		if isOpen {
			return v, p.error(start, p.at, "unexpected number after a wildcard", "end the version at the wildcard")
		}
		v.numbers[i] = n
		v.known++
	}
	if isWhole && p.take("-") {
		pre, err := p.identifiers(true)
		if err != nil {
			return v, err
		}
		if !isOpen {
			v.pre = pre
		}
	}
	if p.take("+") {
		if _, err := p.identifiers(false); err != nil {
			return v, err
		}
	}
	if p.at < p.end && strings.IndexFunc(p.rest(), isSpace) != 0 {
		return v, p.unexpected()
	}
	return v, nil
}

func (p *parser) number() (uint64, error) {
	start := p.at
	p.at = p.end - len(strings.TrimLeft(p.rest(), "0123456789"))
	digits := p.text[start:p.at]
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case digits == "":
		return 0, p.unexpected()
	case len(digits) > 1 && digits[0] == '0':
		return 0, p.error(start, p.at, fmt.Sprintf("leading zero in %q", digits), "delete the leading zeros")
	case err != nil || n > maxNumber:
		return 0, p.error(start, p.at, "the number is too large", "write a smaller one")
	}
	return n, nil
}

// identifiers parses identifiers with dots between them. Numbers in a prerelease must
// not have leading zeros.
func (p *parser) identifiers(isPre bool) (string, error) {
	start := p.at
	for {
		from := p.at
		for p.at < p.end && isIdentifier(p.text[p.at]) {
			p.at++
		}
		word := p.text[from:p.at]
		if word == "" {
			return "", p.error(start-1, max(p.at, start), "expected an identifier after the version",
				"add letters, digits or hyphens, or delete what precedes them")
		}
		if isPre && len(word) > 1 && word[0] == '0' && strings.Trim(word, "0123456789") == "" {
			return "", p.error(from, p.at, fmt.Sprintf("leading zero in %q", word), "delete the leading zeros")
		}
		if !p.take(".") {
			return p.text[start:p.at], nil
		}
	}
}

func isIdentifier(b byte) bool {
	return b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

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
