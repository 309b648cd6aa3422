package ranges

import (
	"fmt"
	"strconv"
	"strings"
)

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
