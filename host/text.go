package host

import (
	"crypto/rand"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/text"
)

// MaxNameLength is the maximum length of a name or title in characters.
const MaxNameLength = 190

// Fold maps strings that differ only in case to the same string, in all scripts.
func Fold(text string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, text)
}

// NewUID returns an identifier of 16 random characters, with 80 bits.
func NewUID() string { return strings.ToLower(rand.Text()[:16]) }

// IsUID reports whether text is an identifier: 1 to 40 ASCII letters, digits, "-" and "_".
func IsUID(text string) bool {
	return text != "" && len(text) <= 40 && HasOnly(text, "-_")
}

// HasOnly reports whether text has only ASCII letters, digits and the other characters.
func HasOnly(text, others string) bool {
	const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return strings.Trim(text, alphanumeric+others) == ""
}

// UIDRule is the message for an invalid identifier.
const UIDRule = "must be 1 to 40 letters, digits, - and _, found %s"

// Slug converts text to lower case and joins its words with hyphens.
func Slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}

// checkName is checkText for a string that must not be blank.
func checkName(field, name string) error {
	if strings.TrimSpace(name) == "" {
		return Invalid(field, "is required")
	}
	return checkText(field, name)
}

// checkText checks that text is not too long, can be stored in a database and shown on a screen.
func checkText(field, text string) error {
	if err := checkControl(field, text); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(text); n > MaxNameLength {
		return Invalid(field, "must not be longer than %d characters, found %d", MaxNameLength, n)
	}
	return nil
}

func checkControl(field, text string) error {
	if !utf8.ValidString(text) {
		return Invalid(field, "must be valid UTF-8")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return Invalid(field, "must not contain control characters")
	}
	return nil
}

// Quote quotes text from a request, shortened to fit in a message.
func Quote(s string) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(text.Cut(s, most)) + "..."
	}
	return strconv.Quote(s)
}
