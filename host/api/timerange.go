package api

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
)

// timeRange parses "from" and "to" of a query request. The default is the last hour.
func timeRange(from, to json.RawMessage, now time.Time) (sdk.TimeRange, error) {
	var span sdk.TimeRange
	var err error
	if span.From, err = instant("from", from, "now-1h", now); err != nil {
		return span, err
	}
	if span.To, err = instant("to", to, "now", now); err != nil {
		return span, err
	}
	if span.To.Before(span.From) {
		return span, host.Invalid("to", "must not be before from")
	}
	return span, nil
}

// instant parses milliseconds since 1970 as a number or string, an RFC 3339 time, or now
// with an offset such as now-6h.
func instant(field string, raw json.RawMessage, fallback string, now time.Time) (time.Time, error) {
	text := fallback
	if len(raw) > 0 && string(raw) != "null" {
		text = strings.Trim(string(raw), `"`)
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if offset, ok := strings.CutPrefix(text, "now"); ok {
		if at, ok := shift(now, offset); ok {
			return at, nil
		}
	}
	return time.Time{}, host.Invalid(field, "must be milliseconds since 1970, an RFC 3339 time, or now with an offset such as now-6h")
}

const maxOffset = 1_000_000 // of any unit

// shift adds an offset such as -6h, +1d or "".
func shift(now time.Time, offset string) (time.Time, bool) {
	if offset == "" {
		return now, true
	}
	if len(offset) < 3 || offset[0] != '-' && offset[0] != '+' {
		return now, false
	}
	n, err := strconv.Atoi(offset[:len(offset)-1])
	if err != nil || n > maxOffset || n < -maxOffset {
		return now, false
	}
	switch offset[len(offset)-1] {
	case 's':
		return now.Add(time.Duration(n) * time.Second), true
	case 'm':
		return now.Add(time.Duration(n) * time.Minute), true
	case 'h':
		return now.Add(time.Duration(n) * time.Hour), true
	case 'd':
		return now.AddDate(0, 0, n), true
	case 'w':
		return now.AddDate(0, 0, 7*n), true
	case 'M':
		return now.AddDate(0, n, 0), true
	case 'y':
		return now.AddDate(n, 0, 0), true
	}
	return now, false
}
