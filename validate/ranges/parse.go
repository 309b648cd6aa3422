package ranges

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNumber is the largest number in a version that node-semver can count up.
const maxNumber = 1<<53 - 2

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
			return r, nil
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
	low, err := p.version(true)
	if err != nil || p.space() == 0 || !p.take("-") || p.space() == 0 {
		return interval{}, false
	}
	high, err := p.version(true)
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
	version, err := p.version(operator != "~" && operator != "^")
	if err != nil {
		return interval{}, err
	}
	return version.interval(operator), nil
}

// version reads a partial behind letters v and signs =, which node-semver lets
// stand there; isStrict allows a whole version one v only.
func (p *parser) version(isStrict bool) (partial, error) {
	start := p.at
	p.at = p.end - len(strings.TrimLeft(p.rest(), "v="))
	prefix := p.text[start:p.at]
	v, err := p.partial()
	if err == nil && isStrict && v.known == 3 && prefix != "" && prefix != "v" {
		return v, p.fault(start, start+len(prefix), fmt.Sprintf("%q does not belong before the version", prefix), "delete it")
	}
	return v, err
}

// partial reads up to three numbers or wildcards with dots between them; behind
// the third there may be a prerelease, behind the last build metadata.
func (p *parser) partial() (partial, error) {
	var v partial
	isOpen, isWhole := false, false
	for i, number := range []*uint64{&v.Major, &v.Minor, &v.Patch} {
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
		if isOpen {
			return v, p.fault(start, p.at, "a number cannot follow a wildcard", "end the version at the wildcard")
		}
		*number = n
		v.known++
	}
	if isWhole && p.take("-") {
		pre, err := p.identifiers(true)
		if err != nil {
			return v, err
		}
		if !isOpen {
			v.Pre = pre
		}
	}
	if p.take("+") {
		if _, err := p.identifiers(false); err != nil {
			return v, err
		}
	}
	if p.at < p.end && !isSpaceAt(p.text[p.at:p.end]) {
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
		return 0, p.fault(start, p.at, fmt.Sprintf("the number %q begins with 0", digits), "delete the leading zeros")
	case err != nil || n > maxNumber:
		return 0, p.fault(start, p.at, "this number is too large for a version", "write a smaller one")
	}
	return n, nil
}

// identifiers reads words with dots between them. In a prerelease a number among
// them has no leading zero.
func (p *parser) identifiers(isPre bool) (string, error) {
	start := p.at
	for {
		from := p.at
		for p.at < p.end && isIdentifier(p.text[p.at]) {
			p.at++
		}
		word := p.text[from:p.at]
		if word == "" {
			return "", p.fault(start-1, max(p.at, start), "the part behind the version is not complete", "write letters, digits or hyphens, or delete it")
		}
		if isPre && len(word) > 1 && word[0] == '0' && isNumber(word) {
			return "", p.fault(from, p.at, fmt.Sprintf("the number %q begins with 0", word), "delete the leading zeros")
		}
		if !p.take(".") {
			return p.text[start:p.at], nil
		}
	}
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

func isIdentifier(b byte) bool {
	return b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
