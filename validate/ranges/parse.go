package ranges

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads a range. Its error is an *Error.
func Parse(text string) (Range, error) {
	if strings.TrimFunc(text, isSpace) == "" {
		return Range{}, &Error{0, len(text), "the range is empty", "write the versions that are meant, such as >=10.3.0, or * for all"}
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

// parser reads the alternative between at and end.
type parser struct {
	text    string
	at, end int
}

// alternative reads "A - B" or conditions with spaces between them.
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

// hyphen reads "A - B"; ok is false where there is no such thing.
func (p *parser) hyphen() (i interval, ok bool) {
	low, err := p.version(true, true)
	if err != nil || p.space() == 0 || !p.take("-") || p.space() == 0 {
		return interval{}, false
	}
	start := p.at
	high, err := p.version(false, true)
	if err == nil && high.Pre == "" && p.isPrefixed(start, high) { // node-semver writes one with a prerelease anew
		return interval{}, false
	}
	p.space()
	if err != nil || p.at < p.end {
		return interval{}, false
	}
	return low.interval(">=").and(high.upper()), true
}

// condition reads an operator, if there is one, and a partial version.
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
			return interval{}, p.fault(start, p.at+1, fmt.Sprintf("%q is no operator", p.text[start:p.at+1]), "write "+right)
		}
	}
	if operator != "" || p.at > start {
		p.space()
	}
	if p.at == p.end {
		return interval{}, p.fault(start, p.end, fmt.Sprintf("no version follows %q", p.text[start:p.end]), "write one behind it, or delete it")
	}
	isLoose := operator == "~" || operator == "^"
	version, err := p.version(!isLoose, isLoose)
	if err != nil {
		return interval{}, err
	}
	return version.interval(operator), nil
}

// version reads a partial behind letters v and signs =, which node-semver lets
// stand there; isStrict allows a whole version one v only. Where mayGoOn, numbers
// may follow a wildcard, and mean nothing.
func (p *parser) version(isStrict, mayGoOn bool) (partial, error) {
	start := p.at
	p.at = p.end - len(strings.TrimLeft(p.rest(), "v="))
	numbers := p.at
	v, err := p.partial(mayGoOn)
	if err == nil && isStrict && p.isPrefixed(start, v) {
		return v, p.fault(start, numbers, fmt.Sprintf("%q does not belong before the version", p.text[start:numbers]), "delete it")
	}
	return v, err
}

// isPrefixed says whether there is more than a v before a whole version.
func (p *parser) isPrefixed(start int, v partial) bool {
	text := p.text[start:p.at]
	prefix := text[:len(text)-len(strings.TrimLeft(text, "v="))]
	return v.known == 3 && prefix != "" && prefix != "v"
}

func (p *parser) rest() string { return p.text[p.at:p.end] }

// take steps over a token if it is next.
func (p *parser) take(token string) bool {
	if !strings.HasPrefix(p.rest(), token) {
		return false
	}
	p.at += len(token)
	return true
}

// space steps over white space and returns how much there was.
func (p *parser) space() int {
	n := len(p.rest()) - len(strings.TrimLeftFunc(p.rest(), isSpace))
	p.at += n
	return n
}

func isSpaceAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return isSpace(r)
}

// isSpace says whether r is white space in JavaScript.
func isSpace(r rune) bool { return r != 0x85 && unicode.IsSpace(r) || r == 0xFEFF }
