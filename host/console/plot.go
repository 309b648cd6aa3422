package console

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/instant"
)

// Plots are SVG whose colors come from style.css, so that they follow the theme, and which
// has no style attributes, which the Content-Security-Policy forbids. The libraries that
// draw SVG fix the colors and write such attributes.
//
// Lines are in an inner picture that is stretched to the width of the page. The
// labels around it keep their size: their positions are percentages, and a narrow plot
// hides some of them.

const (
	areaSize     = 1000.0 // the width and the height of the inner picture
	plotMargin   = 30.0   // at both ends of the horizontal axis, where labels would be cut off
	longestLabel = 13     // characters of a number on the vertical axis
	wideLabel    = 8      // characters that fit in the usual space for them
	mediumWidth  = 340.0  // pixels of a plot in which labels with the class spare1 are hidden
	narrowWidth  = 200.0  // likewise, spare2
	mostColors   = 8
	mostSeries   = 100
	// mostIntervals limits the points of all lines of a plot; see thin.
	mostIntervals = 20_000
)

// point is a time in Unix milliseconds with a value; NaN interrupts the line.
type point struct{ X, Y float64 }

// span is a range of times in Unix milliseconds. The zero value is unknown.
type span struct{ From, To int64 }

// spanOf returns the range of a query, or the zero value if it is invalid.
func spanOf(from, to string, now time.Time) span {
	start, isStart := instant.Parse(from, now, false)
	end, isEnd := instant.Parse(to, now, true)
	if !isStart || !isEnd || end.Before(start) {
		return span{}
	}
	return span{start.UnixMilli(), end.UnixMilli()}
}

// setRange sets the time range of a body of POST /api/ds/query to what the plot spans. The
// API reports why an unknown one is invalid.
func (s span) setRange(body map[string]any) {
	if s != (span{}) {
		body["from"], body["to"] = s.From, s.To
	}
}

// series is a line.
type series struct {
	Name   string
	Points []point // by time
}

// color returns the number of the color of the i-th series in style.css.
func color(i int) int { return i % mostColors }

// thin returns at most four points for each of n intervals: the first, lowest, highest
// and last, which draw the same line.
func thin(points []point, n int) []point {
	if len(points) <= 4*n {
		return points
	}
	from, to := points[0].X, points[len(points)-1].X
	width := (to - from) / float64(n)
	out := make([]point, 0, 4*n)
	for start := 0; start < len(points); {
		limit := from + width*(math.Floor((points[start].X-from)/width)+1)
		low, high, end := start, start, start
		for ; end < len(points) && !(points[end].X >= limit && end > start); end++ { // the limit is NaN if all are at the same time
			if points[end].Y < points[low].Y || math.IsNaN(points[low].Y) {
				low = end
			}
			if points[end].Y > points[high].Y || math.IsNaN(points[high].Y) {
				high = end
			}
		}
		last := -1
		for _, i := range []int{start, min(low, high), max(low, high), end - 1} {
			if i > last {
				out = append(out, points[i])
				last = i
			}
		}
		start = end
	}
	return out
}

// scale maps an interval of values to one of the picture.
type scale struct{ from, to, low, high float64 }

func (s scale) at(v float64) float64 {
	return s.low + (v-s.from)/(s.to-s.from)*(s.high-s.low)
}

// linePlot draws lines over the times that were asked for, without the points at others, or
// over the times of all points if it is unknown what was asked for. The label is the accessible
// name of the picture.
func linePlot(label string, all []series, asked span) template.HTML {
	all = slices.Clone(all[:min(len(all), mostSeries)])
	x := scale{math.Inf(1), math.Inf(-1), 0, areaSize}
	y := scale{math.Inf(1), math.Inf(-1), areaSize, 0}
	if asked != (span{}) {
		x.from, x.to = float64(asked.From), float64(asked.To)
		for i := range all {
			all[i].Points = slices.DeleteFunc(slices.Clone(all[i].Points), func(p point) bool { return p.X < x.from || p.X > x.to })
		}
	}
	for _, s := range all {
		for _, p := range s.Points {
			x.from, x.to = math.Min(x.from, p.X), math.Max(x.to, p.X)
			if !math.IsNaN(p.Y) {
				y.from, y.to = math.Min(y.from, p.Y), math.Max(y.to, p.Y)
			}
		}
	}
	if len(all) == 0 || x.from > x.to {
		return ""
	}
	if x.from == x.to {
		x.from, x.to = x.from-30_000, x.to+30_000
	}
	var b strings.Builder
	openPlot(&b, label, &y, fmt.Sprintf(` data-from="%g" data-to="%g"`, x.from, x.to))
	step, layout := timeStep(x.to - x.from)
	var times []float64
	for t := math.Ceil(x.from/step) * step; t <= x.to; t += step {
		if at := x.at(t); at >= plotMargin && at <= areaSize-plotMargin {
			times = append(times, t)
		}
	}
	for i, t := range times {
		fmt.Fprintf(&b, `<text class="tick%s" x="%.2f%%" y="100%%" dy="20" text-anchor="middle">%s</text>`,
			spare(i, step/(x.to-x.from), len(layout)), x.at(t)/areaSize*100, time.UnixMilli(int64(t)).UTC().Format(layout))
	}
	openArea(&b)
	for i, s := range all {
		points := thin(s.Points, min(int(areaSize), mostIntervals/len(all)))
		values := make([][2]any, 0, len(points))
		var path, dots strings.Builder
		isOpen := false
		for n, p := range points {
			if math.IsNaN(p.Y) {
				isOpen = false
				continue
			}
			command := "L"
			if !isOpen {
				command = "M"
			}
			fmt.Fprintf(&path, "%s%.1f %.1f", command, x.at(p.X), y.at(p.Y))
			if !isOpen && (n+1 == len(points) || math.IsNaN(points[n+1].Y)) {
				fmt.Fprintf(&dots, "M%.1f %.1fh0", x.at(p.X), y.at(p.Y))
			}
			isOpen = true
			values = append(values, [2]any{p.X, p.Y})
		}
		data, _ := json.Marshal(values) // finite numbers
		fmt.Fprintf(&b, `<path class="line c%d" d="%s" data-name="%s" data-points="%s"/>`,
			color(i), path.String(), html.EscapeString(s.Name), data)
		if dots.Len() > 0 { // points between gaps
			fmt.Fprintf(&b, `<path class="dots c%d" d="%s"/>`, color(i), dots.String())
		}
	}
	b.WriteString(`</svg><line class="cursor" y2="100%" hidden/></svg>`)
	return template.HTML(b.String())
}

// cut returns at most n characters of a string, at least one.
func cut(text string, n int) string {
	letters := []rune(text)
	if len(letters) <= n {
		return text
	}
	return string(letters[:max(n-1, 0)]) + "…"
}

// openPlot writes the start of a plot with its vertical axis, and widens y to round numbers.
func openPlot(b *strings.Builder, label string, y *scale, attributes string) {
	ticks := y.round()
	var axis strings.Builder
	longest := 0
	for _, v := range ticks {
		text, at := formatNumber(v), y.at(v)/areaSize*100
		if len(text) > longestLabel {
			text = strconv.FormatFloat(v, 'g', 4, 64)
		}
		longest = max(longest, len(text))
		fmt.Fprintf(&axis, `<line class="grid" x2="100%%" y1="%.2f%%" y2="%.2f%%"/><text class="tick" x="-8" y="%.2f%%" dy="4" text-anchor="end">%s</text>`,
			at, at, at, text)
	}
	class := ""
	if longest > wideLabel {
		class = " indented"
	}
	fmt.Fprintf(b, `<svg class="plot%s" role="img" aria-label="%s"%s>%s`, class, html.EscapeString(label), attributes, axis.String())
}

// openArea writes the start of the inner picture.
func openArea(b *strings.Builder) {
	fmt.Fprintf(b, `<svg viewBox="0 0 %g %[1]g" width="100%%" height="100%%" preserveAspectRatio="none">`, areaSize)
}

// spare returns the class of the i-th label of times, by which medium and narrow plots hide
// those that do not fit. The distance between labels is a fraction of the width.
func spare(i int, distance float64, characters int) (class string) {
	need := 7*float64(characters) + 12 // pixels
	if i%int(math.Ceil(need/(distance*mediumWidth))) != 0 {
		class = " spare1"
	}
	if i%int(math.Ceil(need/(distance*narrowWidth))) != 0 {
		class += " spare2"
	}
	return class
}

// round widens the scale to round numbers and returns those to label.
func (s *scale) round() (ticks []float64) {
	if s.from > s.to || s.from == 0 && s.to == 0 { // no value, or nothing but zeros
		s.from, s.to = 0, 1
	}
	if most := math.Max(math.Abs(s.from), math.Abs(s.to)); s.to-s.from <= most*1e-13 || s.to-s.from < 1e-290 { // differences are invisible
		s.from, s.to = s.from-math.Max(1, math.Abs(s.from)/10), s.to+math.Max(1, math.Abs(s.to)/10)
	}
	raw := (s.to - s.from) / 5
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if step < raw {
			step *= factor
		}
	}
	s.from, s.to = math.Floor(s.from/step)*step, math.Ceil(s.to/step)*step
	for i := range int(math.Round((s.to-s.from)/step)) + 1 {
		ticks = append(ticks, s.from+float64(i)*step)
	}
	return ticks
}

// timeStep returns the distance in milliseconds between the labels of a span of time, and
// their layout.
func timeStep(span float64) (step float64, layout string) {
	const second, minute, hour, day = 1e3, 60e3, 3600e3, 86400e3
	for _, step := range []float64{1, 10, 100, second, 5 * second, 15 * second, 30 * second, minute, 5 * minute, 15 * minute, 30 * minute,
		hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 30 * day, 90 * day, 365 * day, 3650 * day} {
		if span/step > 9 {
			continue
		}
		switch {
		case step < second:
			return step, "15:04:05.000"
		case step < minute:
			return step, "15:04:05"
		case step < day && span < day:
			return step, "15:04"
		case step < day:
			return step, "01-02 15:04"
		}
		return step, "2006-01-02"
	}
	return span / 9, "2006"
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
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return plainNumber(v)
	}
	return plainNumber(rounded)
}
