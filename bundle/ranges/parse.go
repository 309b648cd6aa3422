package ranges

import (
	"fmt"
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

func isSpaceAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isSpace(r)
}

// isSpace reports whether r is white space in JavaScript.
func isSpace(r rune) bool { return r != 0x85 && unicode.IsSpace(r) || r == 0xFEFF }
