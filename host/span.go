package host

import (
	"math"
	"strconv"
	"time"
)

// ParseInterval parses the time between two dashboards of a playlist: a positive integer
// and one of the units s, m, h, d, w and M (30 days).
func ParseInterval(text string) (time.Duration, error) {
	if text == "" {
		return 0, Invalid("interval", "is required: "+spanRule, "5m")
	}
	d, ok := parseSpan(text)
	if !ok {
		return 0, Invalid("interval", "must be "+spanRule+", found %s", "5m", Quote(text))
	}
	return d, nil
}

// spanRule describes the syntax of a span in errors, with an example.
const spanRule = "a positive integer and a unit (s, m, h, d, w, M), such as %s"

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
