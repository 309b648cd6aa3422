package expression

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token of a math expression.
type kind int

const (
	end      kind = iota
	constant      // 1.5, 072, 0x2A
	variable      // $A, ${A b}
	word          // the name of a function
	symbol        // an operator or a parenthesis
)

// token is a word of a math expression.
type token struct {
	kind  kind
	text  string // for a variable, the refID
	value float64
	at    int // byte offset
}

// symbols of math expressions, separated by spaces. Those of two characters come first.
const symbols = "** && || == != <= >= + - * / % < > ! ? : ( )"

// next returns the token at an offset of text and the offset after it.
func next(text string, at int) (t token, after int, err error) {
	rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
	at = len(text) - len(rest)
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return token{kind: end, at: at}, at, nil
	case isDigit(first) || first == '.':
		return scanConstant(text, at)
	case strings.HasPrefix(rest, "${"):
		inner, _, closed := strings.Cut(rest[2:], "}")
		switch {
		case !closed:
			return t, at, syntaxError(text, at, "close it with }", "unclosed ${")
		case strings.TrimSpace(inner) == "":
			return t, at, syntaxError(text, at, "write a refId, such as ${A}", "reference without a name")
		}
		return token{kind: variable, text: inner, at: at}, at + len(inner) + 3, nil
	case first == '$':
		name := leading(rest[1:], isName)
		if name == "" {
			return t, at, syntaxError(text, at, "write a refId, such as $A, or ${A b} for one with a space", "reference without a name")
		}
		return token{kind: variable, text: name, at: at}, at + 1 + len(name), nil
	case isName(first):
		name := leading(rest, isName)
		return token{kind: word, text: name, at: at}, at + len(name), nil
	}
	for s := range strings.SplitSeq(symbols, " ") {
		if strings.HasPrefix(rest, s) {
			return token{kind: symbol, text: s, at: at}, at + len(s), nil
		}
	}
	return t, at, syntaxError(text, at, "the operators are + - * / % ** == != < > <= >= && || ! and ?:", "unexpected character %q", first)
}

// scanConstant reads a decimal, octal or hexadecimal number.
func scanConstant(text string, at int) (token, int, error) {
	word := leading(text[at:], func(r rune) bool { return isName(r) || r == '.' })
	isHex := strings.HasPrefix(word, "0x") || strings.HasPrefix(word, "0X")
	if after := at + len(word); !isHex && strings.ContainsAny(word[len(word)-1:], "eE") && after < len(text) && strings.ContainsRune("+-", rune(text[after])) {
		word += text[after:after+1] + leading(text[after+1:], isDigit)
	}
	var value float64
	var err error
	switch {
	case strings.Contains(word, "_"):
		err = strconv.ErrSyntax
	case isHex, len(word) > 1 && word[0] == '0' && strings.TrimFunc(word, isDigit) == "":
		var whole uint64
		whole, err = strconv.ParseUint(word, 0, 64)
		value = float64(whole)
	default:
		value, err = strconv.ParseFloat(word, 64)
	}
	if err != nil {
		return token{}, at, syntaxError(text, at, "write a decimal number such as 2.24 or 8e-2, an octal one such as 072, or a hexadecimal one such as 0x2A", "invalid number %q", shorten(word))
	}
	return token{kind: constant, text: word, value: value, at: at}, at + len(word), nil
}

// leading returns the first characters of s that belong to a class.
func leading(s string, class func(rune) bool) string {
	if n := strings.IndexFunc(s, func(r rune) bool { return !class(r) }); n >= 0 {
		return s[:n]
	}
	return s
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// shorten returns the beginning of a long word.
func shorten(word string) string {
	const most = 40
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "") + "..."
}

// syntaxError reports what is wrong in an expression and at which column.
func syntaxError(text string, at int, help, format string, args ...any) error {
	return problemf(help, "expression: column %d: "+format, append([]any{utf8.RuneCountInString(text[:at]) + 1}, args...)...)
}
