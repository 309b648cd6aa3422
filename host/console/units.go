package console

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"sync"
)

// maxUnit is how many bytes the name of a unit may have: each number repeats it. See format.js.
const maxUnit = 30

// size is a multiple of a unit with the text after its numbers.
type size struct {
	Of   float64
	Text string
}

// MarshalJSON returns the form that format.js reads.
func (s size) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.Of, s.Text}) }

// units returns the formats of all known units of Grafana. format.js uses them as well. The
// sizes of a unit are sorted, smallest first.
var units = sync.OnceValue(func() map[string]numberFormat {
	all := map[string]numberFormat{"": {}, "none": {}}
	for unit, before := range map[string]string{"currencyUSD": "$", "currencyEUR": "€", "currencyGBP": "£", "currencyJPY": "¥"} {
		all[unit] = numberFormat{Before: before}
	}
	for unit, text := range map[string]string{"celsius": "°C", "fahrenheit": "°F", "kelvin": "K", "humidity": "%H", "degree": "°", "dB": "dB", "pressurehpa": "hPa",
		"cps": "c/s", "ops": "ops/s", "reqps": "req/s", "rps": "rd/s", "wps": "wr/s", "iops": "io/s"} {
		all[unit] = numberFormat{Sizes: []size{{1, " " + text}}}
	}
	for unit, text := range map[string]string{"hertz": "Hz", "watt": "W", "watth": "Wh", "volt": "V", "amp": "A", "lengthm": "m",
		"decbytes": "B", "decbits": "b", "Bps": "B/s", "bps": "b/s"} {
		all[unit] = numberFormat{Sizes: []size{{1, " " + text}, {1e3, " k" + text}, {1e6, " M" + text}, {1e9, " G" + text}, {1e12, " T" + text}}}
	}
	for unit, sizes := range map[string][]size{
		"short":   {{1, ""}, {1e3, " K"}, {1e6, " Mil"}, {1e9, " Bil"}, {1e12, " Tri"}},
		"percent": {{1, "%"}}, "percentunit": {{0.01, "%"}},
		"bytes": binary(1, "B"), "kbytes": binary(1<<10, "B"), "mbytes": binary(1<<20, "B"), "gbytes": binary(1<<30, "B"),
		"bits": binary(1, "b"), "binBps": binary(1, "B/s"), "binbps": binary(1, "b/s"),
		"ns": duration(1e-9), "µs": duration(1e-6), "ms": duration(1e-3), "s": duration(1), "m": duration(60), "h": duration(3600), "d": duration(86400),
	} {
		all[unit] = numberFormat{Sizes: sizes}
	}
	return all
})

// binary returns the sizes of a unit that is a number of bytes or bits.
func binary(of float64, text string) []size {
	return []size{{1 / of, " " + text}, {1 << 10 / of, " Ki" + text}, {1 << 20 / of, " Mi" + text}, {1 << 30 / of, " Gi" + text}, {1 << 40 / of, " Ti" + text}}
}

// duration returns the sizes of a unit that is a number of seconds.
func duration(of float64) []size {
	return []size{{1e-9 / of, " ns"}, {1e-6 / of, " µs"}, {1e-3 / of, " ms"}, {1 / of, " s"}, {60 / of, " min"}, {3600 / of, " h"}, {86400 / of, " d"}}
}

// numberFormat is how numbers are written. Its JSON is read by format.js.
type numberFormat struct {
	Before   string `json:"before"`
	Sizes    []size `json:"sizes"`    // nil for the numbers alone
	Decimals *int   `json:"decimals"` // nil for as many as four significant digits need, or six if there is one size
}

// formatOf returns the format of a field. The name of an unknown unit is its text, as in
// Grafana.
func formatOf(unit string, decimals *float64) numberFormat {
	var f numberFormat
	if decimals != nil {
		f.Decimals = new(int(min(max(*decimals, 0), 20)))
	}
	if known, isKnown := units()[unit]; isKnown {
		f.Before, f.Sizes = known.Before, known.Sizes
		return f
	}
	if len(unit) > maxUnit || strings.HasPrefix(unit, "dateTime") {
		return f
	}
	kind, text, hasKind := strings.Cut(unit, ":")
	switch {
	case !hasKind:
		f.Sizes = []size{{1, " " + unit}}
	case kind == "prefix" || kind == "currency":
		f.Before = text
	case kind == "suffix":
		f.Sizes = []size{{1, text}}
	} // the others are formats of times and counts
	return f
}

// isPlain reports whether numbers are written without a unit.
func (f numberFormat) isPlain() bool { return f.Before == "" && f.Sizes == nil && f.Decimals == nil }

// JSON returns the format for format.js.
func (f numberFormat) JSON() string {
	text, _ := json.Marshal(f) // numbers and strings
	return string(text)
}

// sizeFor returns the largest size that is not larger than a number.
func (f numberFormat) sizeFor(v float64) size {
	best := size{Of: 1}
	for i, s := range f.Sizes {
		if i == 0 || s.Of <= math.Abs(v) || v == 0 && s.Of <= 1 {
			best = s
		}
	}
	return best
}

// text writes a number.
func (f numberFormat) text(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return plainNumber(v)
	}
	s := f.sizeFor(v)
	v /= s.Of
	if f.Decimals != nil && math.Abs(v) < largestPlain {
		return f.Before + strconv.FormatFloat(v, 'f', *f.Decimals, 64) + s.Text
	}
	if len(f.Sizes) > 1 {
		return f.Before + plainNumber(roundTo(v, 4)) + s.Text
	}
	return f.Before + formatNumber(v) + s.Text
}

// Numbers between these are written without an exponent, as in JavaScript.
const (
	smallestPlain = 1e-6
	largestPlain  = 1e21
)

// plainNumber returns all digits of a number in a form that JavaScript reads as a number.
func plainNumber(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	if size := math.Abs(v); size != 0 && (size < smallestPlain || size >= largestPlain) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// formatNumber returns a number rounded to six significant digits, or to an integer if it
// has more digits than that.
func formatNumber(v float64) string {
	if math.Abs(v) >= 1e6 && math.Abs(v) < largestPlain {
		return plainNumber(math.Round(v))
	}
	return plainNumber(roundTo(v, 6))
}

func roundTo(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}
