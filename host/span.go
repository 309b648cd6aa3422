package host

import (
	"math"
	"strconv"
	"time"
)

// MaxKeyLifetime is the maximum lifetime of an API key.
const MaxKeyLifetime = 30 * 24 * time.Hour

// maxTokenSeconds is the maximum lifetime of a service account token, a hundred years.
const maxTokenSeconds = 100 * 365 * 24 * 60 * 60

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

// quote quotes text from a request, shortened to fit in a message.
func quote(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
