package host

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNameLength is the longest name or title, in characters.
const MaxNameLength = 190

// Fold maps texts that differ only in case to the same text, for every script.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, text)
}

// NewUID returns 16 random characters for an identifier that appears in URLs.
func NewUID(random io.Reader) (string, error) {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567" // 32 letters: 5 bits of each byte
	uid := make([]byte, 16)
	if _, err := io.ReadFull(random, uid); err != nil {
		return "", err
	}
	for i, b := range uid {
		uid[i] = alphabet[b&31]
	}
	return string(uid), nil
}

// IsUID reports whether text has the shape of an identifier: 1 to 40 letters,
// digits, "-" and "_", in ASCII.
func IsUID(text string) bool {
	if text == "" || len(text) > 40 {
		return false
	}
	for _, b := range []byte(text) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_':
		default:
			return false
		}
	}
	return true
}

// slug lower-cases text and joins its letters and digits with single hyphens.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}

// checkName refuses a name that is blank, too long or not plain text.
func checkName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return Invalid(field, "is required")
	}
	return checkText(field, name)
}

// checkText refuses a text that is too long or holds what no database and no
// screen can show.
func checkText(field, text string) error {
	if err := checkControl(field, text); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(text); n > MaxNameLength {
		return Invalid(field, "has %d characters, at most %d are allowed", n, MaxNameLength)
	}
	return nil
}

func checkControl(field, text string) error {
	if !utf8.ValidString(text) {
		return Invalid(field, "is not valid UTF-8")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return Invalid(field, "contains a control character")
	}
	return nil
}
