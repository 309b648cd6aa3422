package console

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
)

// Plots are SVG whose colors come from style.css, so that they follow the theme, and which
// has no style attributes, which the Content-Security-Policy forbids. The libraries that
// draw SVG fix the colors and write such attributes.

const (
	plotWidth  = 1000.0
	plotHeight = 320.0
	plotLeft   = 64.0 // for the labels of the vertical axis
	plotBottom = 36.0 // for those of the horizontal one
	plotTop    = 18.0
	plotMargin = 30.0 // at both ends of the horizontal axis, where labels would be cut off
	plotRight  = 12.0
	mostColors = 8
	mostSeries = 100
	// mostIntervals limits the points of all lines of a plot; see thin.
	mostIntervals = 20_000
	mostBars      = 50
)

// point is a time in Unix milliseconds with a value; NaN interrupts the line.
type point struct{ X, Y float64 }

// series is a line.
type series struct {
	Name   string
	Points []point // by time
}

// bar is a category with its value.
type bar struct {
	Name  string
	Value float64
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
		for ; end < len(points) && !(points[end].X >= limit && end > start); end++ { // the limit is NaN if all are at one time
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

// linePlot draws lines over time. The label is the accessible name of the picture.
func linePlot(label string, all []series) template.HTML {
	all = all[:min(len(all), mostSeries)]
	x := scale{math.Inf(1), math.Inf(-1), plotLeft, plotWidth - plotRight}
	y := scale{math.Inf(1), math.Inf(-1), plotHeight - plotBottom, plotTop}
	for _, s := range all {
		for _, p := range s.Points {
			x.from, x.to = math.Min(x.from, p.X), math.Max(x.to, p.X)
			if !math.IsNaN(p.Y) {
				y.from, y.to = math.Min(y.from, p.Y), math.Max(y.to, p.Y)
			}
		}
	}
	if x.from > x.to {
		return ""
	}
	if x.from == x.to {
		x.from, x.to = x.from-30_000, x.to+30_000
	}
	ticks := y.round()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %g %g" role="img" aria-label="%s" data-from="%g" data-to="%g" data-left="%g" data-right="%g">`,
		plotWidth, plotHeight, html.EscapeString(label), x.from, x.to, x.low, x.high)
	axisY(&b, y, ticks)
	step, layout := timeStep(x.to - x.from)
	for t := math.Ceil(x.from/step) * step; t <= x.to; t += step {
		if at := x.at(t); at < x.low+plotMargin || at > x.high-plotMargin {
			continue
		}
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%g" text-anchor="middle">%s</text>`,
			x.at(t), plotHeight-8, time.UnixMilli(int64(t)).UTC().Format(layout))
	}
	for i, s := range all {
		points := thin(s.Points, min(int(x.high-x.low), mostIntervals/len(all)))
		values := make([][2]any, 0, len(points))
		var path strings.Builder
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
				path.WriteString("m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0") // a point between gaps is a dot
			}
			isOpen = true
			values = append(values, [2]any{p.X, p.Y})
		}
		data, _ := json.Marshal(values) // finite numbers
		fmt.Fprintf(&b, `<path class="line c%d" d="%s" data-name="%s" data-points="%s"/>`,
			color(i), path.String(), html.EscapeString(s.Name), data)
	}
	b.WriteString(`<line class="cursor" hidden/></svg>`)
	return template.HTML(b.String())
}

// barPlot draws categories. The label is the accessible name of the picture.
func barPlot(label string, bars []bar) template.HTML {
	y := scale{0, 0, plotHeight - plotBottom, plotTop}
	for _, c := range bars {
		y.from, y.to = math.Min(y.from, c.Value), math.Max(y.to, c.Value)
	}
	ticks := y.round()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %g %g" role="img" aria-label="%s">`, plotWidth, plotHeight, html.EscapeString(label))
	axisY(&b, y, ticks)
	width := (plotWidth - plotLeft - plotRight) / float64(max(len(bars), 1))
	for i, c := range bars {
		x := plotLeft + width*float64(i)
		top, bottom := y.at(math.Max(c.Value, 0)), y.at(math.Min(c.Value, 0))
		fmt.Fprintf(&b, `<rect class="bar c0" x="%.1f" y="%.1f" width="%.1f" height="%.1f"><title>%s: %s</title></rect>`,
			x+width*0.15, top, width*0.7, math.Max(bottom-top, 1), html.EscapeString(c.Name), formatNumber(c.Value))
		if name := []rune(c.Name); len(bars) <= 20 {
			fit := max(int(width/8), 1)
			if len(name) > fit {
				name = append(name[:fit-1:fit-1], '…')
			}
			fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%g" text-anchor="middle">%s</text>`, x+width/2, plotHeight-8, html.EscapeString(string(name)))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
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

func axisY(b *strings.Builder, y scale, ticks []float64) {
	for _, v := range ticks {
		fmt.Fprintf(b, `<line class="grid" x1="%g" x2="%g" y1="%.1f" y2="%.1f"/><text class="tick" x="%g" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, plotWidth-plotRight, y.at(v), y.at(v), plotLeft-8, y.at(v)+4, formatNumber(v))
	}
}

// formatNumber returns a number with at most six significant digits.
func formatNumber(v float64) string { return strconv.FormatFloat(roundTo(v, 6), 'g', -1, 64) }

func roundTo(v float64, digits int) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		return v
	}
	return rounded
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
