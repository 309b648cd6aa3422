package expression

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// fill returns the value of a sample without points: from the last value before it and
// the next one, of which either may be null.
type fill func(previous, next *float64) *float64

// resampling has the settings of resample.
type resampling struct {
	refID  string
	window time.Duration
	down   reducer
	up     fill
}

func parseResample(m *model) ([]string, operation, error) {
	refID, err := reference("expression", m.Expression)
	if err != nil {
		return nil, nil, err
	}
	window, err := parseWindow(m.Window)
	if err != nil {
		return nil, nil, err
	}
	down, err := findReducer("downsampler", m.Downsampler)
	if err != nil {
		return nil, nil, err
	}
	up, err := lookup("upsampler", m.Upsampler, []named[fill]{
		{"pad", func(previous, _ *float64) *float64 { return previous }},
		{"backfilling", func(_, next *float64) *float64 { return next }},
		{"fillna", func(_, _ *float64) *float64 { return new(math.NaN()) }},
	})
	if err != nil {
		return nil, nil, err
	}
	r := resampling{refID, window, down, up}
	return []string{refID}, func(e *evaluation, span TimeRange, inputs map[string]collection) (collection, error) {
		return r.run(e, span, inputs[refID])
	}, nil
}

func (r resampling) run(e *evaluation, span TimeRange, c collection) (collection, error) {
	if len(c.items) == 0 {
		return c, nil
	}
	length := span.To.Sub(span.From)
	if length < r.window {
		return collection{}, problemf("use a shorter window", "window: %s is longer than the time range", r.window)
	}
	samples := length / r.window // without the one at the start
	if samples >= time.Duration(e.limits.Points) {
		return collection{}, problemf("use a longer window or a shorter time range", "window: %s divides the time range into too many samples: the expressions of a request may compute at most %d points", r.window, e.total.Points)
	}
	times := make([]time.Time, samples+1)
	for n := range times {
		times[n] = span.From.Add(time.Duration(n) * r.window)
	}
	out := collection{notices: c.notices}
	for _, i := range c.items {
		if !i.series {
			return collection{}, problemf("resample time series", "$%s contains a number, not a time series", r.refID)
		}
		if err := e.spend(len(times)); err != nil {
			return collection{}, err
		}
		out.items = append(out.items, r.sample(i, times))
	}
	return out, nil
}

// sample returns a series with other times.
func (r resampling) sample(i item, times []time.Time) item {
	values := make([]*float64, len(times))
	at := 0
	var previous *float64
	for n, now := range times {
		first := at
		for at < len(i.times) && !i.times[at].After(now) {
			at++
		}
		switch {
		case at > first:
			values[n], previous = new(r.down(i.values[first:at])), i.values[at-1]
		case at < len(i.times):
			values[n] = r.up(previous, i.values[at])
		default:
			values[n] = r.up(previous, nil)
		}
	}
	return item{labels: i.labels, series: true, times: times, values: values}
}

// parseWindow parses a duration such as 10s, 5m or 1d12h.
func parseWindow(text string) (time.Duration, error) {
	total, rest := 0.0, strings.TrimSpace(text)
	valid := rest != ""
	for rest != "" && valid {
		digits := leading(rest, func(r rune) bool { return isDigit(r) || r == '.' })
		rest = rest[len(digits):]
		unit := leading(rest, func(r rune) bool { return !isDigit(r) && r != '.' })
		rest = rest[len(unit):]
		n, err := strconv.ParseFloat(digits, 64)
		size := unitLength(unit)
		valid = err == nil && size > 0
		total += n * float64(size)
	}
	if !valid || total < 1 || total > math.MaxInt64/2 {
		return 0, problemf("write a number with one of the units ms, s, m, h, d, w and y, such as 10s", "window: invalid duration %q", shorten(text))
	}
	return time.Duration(total), nil
}

// unitLength returns 0 for an unknown unit.
func unitLength(unit string) time.Duration {
	const day = 24 * time.Hour
	switch unit {
	case "ns":
		return time.Nanosecond
	case "us", "µs":
		return time.Microsecond
	case "ms":
		return time.Millisecond
	case "s":
		return time.Second
	case "m":
		return time.Minute
	case "h":
		return time.Hour
	case "d":
		return day
	case "w":
		return 7 * day
	case "y":
		return 365 * day
	}
	return 0
}
