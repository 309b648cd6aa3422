package api

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/instant"
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
	if span.From, err = parseInstant(prefix+"from", b.From, fallback.From, now, false); err != nil {
		return span, err
	}
	if span.To, err = parseInstant(prefix+"to", b.To, fallback.To, now, true); err != nil {
		return span, err
	}
	if span.To.Before(span.From) {
		return span, host.Invalid(prefix+"to", "must not be before from")
	}
	return span, nil
}

// parseInstant parses a time, which is the end of a range or its start.
func parseInstant(field string, raw json.RawMessage, fallback, now time.Time, isEnd bool) (time.Time, error) {
	text := string(raw)
	if strings.HasPrefix(text, `"`) && json.Unmarshal(raw, &text) != nil {
		text = "?"
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return fallback, nil
	}
	at, ok := instant.Parse(text, now, isEnd)
	if !ok {
		return at, host.Invalid(field, "must be milliseconds since 1970, a time such as 2026-01-31T12:00:00Z, or now with offsets and roundings such as now-6h or now-1d/d")
	}
	if at.Before(time.Unix(0, math.MinInt64)) || at.After(time.Unix(0, math.MaxInt64)) {
		return at, host.Invalid(field, "must be between the years 1678 and 2262: plugins count nanoseconds since 1970")
	}
	return at, nil
}
