package host

import (
	"math"
	"strconv"
	"time"
)

// MaxKeyLifetime is the longest time an API key may live.
const MaxKeyLifetime = 30 * 24 * time.Hour

// maxTokenSeconds is the longest lifetime of a service account token: a hundred
// years, which every clock and column can hold.
const maxTokenSeconds = 100 * 365 * 24 * 60 * 60

// Interval is the time between two dashboards of a playlist, as its owner wrote
// it: a whole number above 0 and one of the units s, m, h, d, w, M (30 days).
type Interval string

// ParseInterval checks the grammar and keeps the text.
func ParseInterval(text string) (Interval, error) {
	if text == "" {
		return "", Invalid("interval", "is required: a number and a unit (s, m, h, d, w, M), such as 5m")
	}
	if _, ok := parseSpan(text); !ok {
		return "", Invalid("interval", "%s is not a number above 0 and a unit (s, m, h, d, w, M), such as 5m", quote(text))
	}
	return Interval(text), nil
}

// Duration returns the length of the interval, 0 if it breaks the grammar.
func (i Interval) Duration() time.Duration {
	d, _ := parseSpan(string(i))
	return d
}

// ParseTTL reads the time to live of an API key: a number and a unit as in an
// Interval, at most MaxKeyLifetime. field is the name the caller used.
func ParseTTL(field, text string) (time.Duration, error) {
	d, ok := parseSpan(text)
	if !ok {
		return 0, Invalid(field, "%s is not a number above 0 and a unit (s, m, h, d, w, M), such as 7d", quote(text))
	}
	return d, checkKeyLifetime(field, d)
}

// KeyLifetime reads the lifetime of an API key in seconds. 0 is the longest one
// allowed, because no key lives for ever.
func KeyLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds == 0 {
		return MaxKeyLifetime, nil
	}
	if seconds < 0 || seconds > int64(MaxKeyLifetime/time.Second) {
		return 0, Invalid(field, "must be from 0 to %d seconds (30 days)", int64(MaxKeyLifetime/time.Second))
	}
	return time.Duration(seconds) * time.Second, nil
}

// TokenLifetime reads the lifetime of a service account token in seconds. 0 means
// that the token does not expire.
func TokenLifetime(field string, seconds int64) (time.Duration, error) {
	if seconds < 0 || seconds > maxTokenSeconds {
		return 0, Invalid(field, "must be from 0 to %d seconds", maxTokenSeconds)
	}
	return time.Duration(seconds) * time.Second, nil
}

func checkKeyLifetime(field string, d time.Duration) error {
	if d > MaxKeyLifetime {
		return Invalid(field, "is above the limit of 30 days (2592000 seconds)")
	}
	return nil
}

// parseSpan reads digits and one unit letter; a span is above 0 and fits in a
// time.Duration.
func parseSpan(text string) (time.Duration, bool) {
	if len(text) < 2 || len(text) > 20 {
		return 0, false
	}
	digits, unit := text[:len(text)-1], unitLength(text[len(text)-1])
	for _, b := range []byte(digits) {
		if b < '0' || b > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n == 0 || unit == 0 || n > math.MaxInt64/int64(unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

func unitLength(letter byte) time.Duration {
	const day = 24 * time.Hour
	switch letter {
	case 's':
		return time.Second
	case 'm':
		return time.Minute
	case 'h':
		return time.Hour
	case 'd':
		return day
	case 'w':
		return 7 * day
	case 'M':
		return 30 * day
	}
	return 0
}

// quote shows what a caller sent, cut to a length that fits in a message.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
