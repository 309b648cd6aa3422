package api

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// rangeBody is a time range in a request: of all queries or of one.
type rangeBody struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// parse returns the time range. fallback has what is absent, and prefix comes before "from"
// and "to" in errors.
func (b rangeBody) parse(prefix string, fallback sdk.TimeRange, now time.Time) (span sdk.TimeRange, err error) {
	if span.From, err = instant(prefix+"from", b.From, fallback.From, now, false); err != nil {
		return span, err
	}
	if span.To, err = instant(prefix+"to", b.To, fallback.To, now, true); err != nil {
		return span, err
	}
	if span.To.Before(span.From) {
		return span, host.Invalid(prefix+"to", "must not be before from")
	}
	return span, nil
}

const (
	maxInstant      = 64   // bytes of its text
	maxMilliseconds = 1e15 // beyond what instant accepts
)

// instant parses a time. A rounding such as now/d leads to the start of the period, or to
// its last millisecond at the end of a range.
func instant(field string, raw json.RawMessage, fallback, now time.Time, isEnd bool) (time.Time, error) {
	text := string(raw)
	if strings.HasPrefix(text, `"`) && json.Unmarshal(raw, &text) != nil {
		text = "?"
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return fallback, nil
	}
	at, ok := time.Time{}, false
	if len(text) <= maxInstant {
		at, ok = parseInstant(text, now.UTC(), isEnd)
	}
	if !ok {
		return at, host.Invalid(field, "must be milliseconds since 1970, a time such as 2026-01-31T12:00:00Z, or now with offsets and roundings such as now-6h or now-1d/d")
	}
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return at, host.Invalid(field, "must be between the years 1678 and 2262: plugins count nanoseconds since 1970")
	}
	return at, nil
}

// parseInstant parses milliseconds since 1970, "now" or a date with adjustments, or how
// long ago a time is, such as 5m.
func parseInstant(text string, now time.Time, isEnd bool) (time.Time, bool) {
	if ms, err := strconv.ParseFloat(text, 64); err == nil && strings.Trim(text, "+-.0123456789eE") == "" {
		ms = max(-maxMilliseconds, min(ms, maxMilliseconds))
		return time.UnixMilli(int64(ms)).UTC(), true
	}
	if adjustments, ok := strings.CutPrefix(text, "now"); ok {
		return adjust(now, adjustments, isEnd)
	}
	date, adjustments, _ := strings.Cut(text, "||")
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, date); err == nil {
			return adjust(at.UTC(), adjustments, isEnd)
		}
	}
	if text[0] >= '0' && text[0] <= '9' {
		return adjust(now, "-"+text, isEnd)
	}
	return now, false
}

// adjustment is an offset or a rounding. A fiscal year is a calendar year.
var adjustment = regexp.MustCompile(`^(/|[-+][0-9]{0,6})(?:f([Qy])|([smhHdwMQyY]))`)

// adjust applies offsets and roundings such as -1M/M. An offset without a number is 1.
func adjust(at time.Time, adjustments string, isEnd bool) (time.Time, bool) {
	for adjustments != "" {
		m := adjustment.FindStringSubmatch(adjustments)
		if m == nil {
			return at, false
		}
		adjustments = adjustments[len(m[0]):]
		unit := m[2] + m[3]
		if m[1] == "/" {
			at = round(at, unit, isEnd)
			continue
		}
		if len(m[1]) == 1 {
			m[1] += "1"
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return at, false
		}
		at = shift(at, n, unit)
	}
	return at, true
}

// shift adds n units. A day that the month does not have becomes its last one.
func shift(at time.Time, n int, unit string) time.Time {
	switch unit {
	case "s":
		return at.Add(time.Duration(n) * time.Second)
	case "m":
		return at.Add(time.Duration(n) * time.Minute)
	case "h", "H":
		return at.Add(time.Duration(n) * time.Hour)
	case "d":
		return at.AddDate(0, 0, n)
	case "w":
		return at.AddDate(0, 0, 7*n)
	case "M":
		return addMonths(at, n)
	case "Q":
		return addMonths(at, 3*n)
	}
	return addMonths(at, 12*n)
}

func addMonths(at time.Time, n int) time.Time {
	first := at.AddDate(0, 0, 1-at.Day()).AddDate(0, n, 0)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(at.Day(), last)-1)
}

// round returns the start of the period in UTC, or its last millisecond. A week starts on
// Monday.
func round(at time.Time, unit string, isEnd bool) (start time.Time) {
	year, month, day := at.Date()
	switch unit {
	case "s":
		start = at.Truncate(time.Second)
	case "m":
		start = at.Truncate(time.Minute)
	case "h", "H":
		start = at.Truncate(time.Hour)
	case "d":
		start = time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	case "w":
		start = time.Date(year, month, day-(int(at.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
	case "M":
		start = time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	case "Q":
		start = time.Date(year, (month-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	default:
		start = time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	if isEnd {
		return shift(start, 1, unit).Add(-time.Millisecond)
	}
	return start
}
