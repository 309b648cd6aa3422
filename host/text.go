package host

import (
	"io"
	"math"
	"strconv"
	"strings"
	"time"
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

// NewUID returns an identifier of 16 random characters.
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

// IsUID reports whether text is a valid identifier: 1 to 40 letters, digits, "-" and "_",
// in ASCII.
func IsUID(text string) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return text != "" && len(text) <= 40 && strings.Trim(text, alphabet) == ""
}

// uidRule is the message for an invalid identifier.
const uidRule = "must be 1 to 40 letters, digits, - and _, found %s"

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

// checkText checks that a string is not too long, and that databases can store it and
// screens display it.
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

// MaxKeyLifetime is the maximum lifetime of an API key.
const MaxKeyLifetime = 30 * 24 * time.Hour

// maxTokenSeconds is the maximum lifetime of a service account token, a hundred years.
const maxTokenSeconds int64 = 100 * 365 * 24 * 60 * 60

// ParseInterval parses the time between two dashboards of a playlist: a positive integer
// and one of the units s, m, h, d, w and M (30 days).
func ParseInterval(text string) (time.Duration, error) {
	if text == "" {
		return 0, Invalid("interval", "is required: "+spanRule, "5m")
	}
	d, ok := parseSpan(text)
	if !ok {
		return 0, Invalid("interval", "must be "+spanRule+", found %s", "5m", quote(text))
	}
	return d, nil
}

// ParseTTL parses the lifetime of an API key, which has the syntax of an interval.
func ParseTTL(field, text string) (time.Duration, error) {
	d, ok := parseSpan(text)
	if !ok {
		return 0, Invalid(field, "must be "+spanRule+", found %s", "7d", quote(text))
	}
	if d > MaxKeyLifetime {
		return 0, Invalid(field, "must not be longer than 30 days (2592000 seconds)")
	}
	return d, nil
}

// KeyLifetime checks the lifetime of an API key in seconds. 0 means MaxKeyLifetime.
func KeyLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds == 0 {
		return MaxKeyLifetime, nil
	}
	if seconds < 0 || seconds > int64(MaxKeyLifetime/time.Second) {
		return 0, Invalid(field, "must be from 0 to %d seconds (30 days)", int64(MaxKeyLifetime/time.Second))
	}
	return time.Duration(seconds) * time.Second, nil
}

// TokenLifetime checks the lifetime of a service account token in seconds. 0 means that
// the token does not expire.
func TokenLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds < 0 || seconds > maxTokenSeconds {
		return 0, Invalid(field, "must be from 0 to %d seconds", maxTokenSeconds)
	}
	return time.Duration(seconds) * time.Second, nil
}

// spanRule describes the syntax of a span in errors, with an example.
const spanRule = "a positive integer and a unit (s, m, h, d, w, M), such as %s"

// parseSpan parses a positive integer with a unit.
func parseSpan(text string) (time.Duration, bool) {
	if text == "" || len(text) > 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 63)
	unit := unitLength(text[len(text)-1])
	if err != nil || n == 0 || unit == 0 || int64(n) > math.MaxInt64/int64(unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// unitLength returns the length of a unit, or 0 for another letter.
func unitLength(letter byte) time.Duration {
	const day = 24 * time.Hour
	return map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': day, 'w': 7 * day, 'M': 30 * day}[letter]
}

// quote quotes text from a request, shortened to fit in a message.
func quote(s string) string {
	const most = 40
	if len(s) > most {
		return strconv.Quote(text.Cut(s, most)) + "..."
	}
	return strconv.Quote(s)
}
