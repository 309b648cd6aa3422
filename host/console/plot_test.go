package console

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// A thinned line has the extremes of the whole one.
func TestThin(t *testing.T) {
	t.Parallel()
	points := make([]point, 100_000)
	for i := range points {
		points[i] = point{float64(i), math.Sin(float64(i) / 5000)}
	}
	points[12_345].Y, points[54_321].Y, points[777].Y = 9, -9, math.NaN()
	got := thin(points, 900)
	if len(got) > 4*901 || got[0] != points[0] || got[len(got)-1] != points[len(points)-1] {
		t.Errorf("%d points from %v to %v", len(got), got[0], got[len(got)-1])
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, p := range got {
		if i > 0 && p.X <= got[i-1].X {
			t.Fatalf("the point %v follows %v", p, got[i-1])
		}
		if !math.IsNaN(p.Y) {
			low, high = math.Min(low, p.Y), math.Max(high, p.Y)
		}
	}
	if low != -9 || high != 9 {
		t.Errorf("from %v to %v, want -9 to 9", low, high)
	}
	few := points[:3600]
	if got := thin(few, 900); len(got) != len(few) {
		t.Errorf("%d of %d points remain", len(got), len(few))
	}
	same := make([]point, 5000) // all at the same time
	if got := thin(same, 900); len(got) == 0 || len(got) > 4 {
		t.Errorf("%d points at the same time", len(got))
	}
}

func TestRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, low, high float64 }{
		{0, 10, 0, 10},
		{-3, 3, -4, 4},
		{0.1, 0.9, 0, 1},
		{5, 5, 4, 6},
		{1, -1, 0, 1}, // no value
		{-1e100, 1e100, -1e100, 1e100},
		{1e15, 1e15 + 1, 9e14, 1.15e15}, // differences are invisible at this size
	} {
		s := scale{from: c.from, to: c.to}
		ticks := s.round()
		if s.from != c.low || s.to != c.high || len(ticks) < 3 || len(ticks) > 12 || ticks[0] != c.low || ticks[len(ticks)-1] != c.high {
			t.Errorf("%v to %v: %v to %v with %v", c.from, c.to, s.from, s.to, ticks)
		}
	}
}

// For any values, a plot is well-formed, small, and has only finite coordinates.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]string{
		"none":        `[],[]`,
		"one":         `[1],[1]`,
		"one null":    `[1],[null]`,
		"equal":       `[1,1,1],[2,2,2]`,
		"huge":        `[1,2,3],[1e308,-1e308,1]`,
		"tiny":        `[1,2],[5e-324,0]`,
		"far times":   `[-1e300,1e300,1],[1,2,3]`,
		"null times":  `[null,null],[1,2]`,
		"short":       `[1,2,3],[1]`,
		"not numbers": `["a",{},[]],[true,"x",{}]`,
		"unordered":   `[3,1,2],[1,2,3]`,
	} {
		text := `{"schema":{"name":"<x>","fields":[{"name":"t","type":"time"},{"name":"v\"<","type":"number"}]},"data":{"values":[` + values + `]}}`
		f, err := readFrame(json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkSVG(t, name, string(linePlot(`"<label>`, f.series(), span{})))
		checkSVG(t, name, string(linePlot(`"<label>`, f.series(), span{2, 3})))
		for row := range f.rows() {
			for column := range 2 {
				_ = f.cell(column, row)
			}
		}
	}
	special := testkit.Must(readFrame(json.RawMessage(`{"schema":{"fields":[{"name":"t","type":"time"},{"name":"v","type":"number"}]},
		"data":{"values":[[1,2,3,4,null],[null,null,null,4,5]],"entities":[{"NaN":[4]},{"NaN":[0],"Inf":[1],"NegInf":[2,-1,9]}]}}`)))(t)
	for row, want := range []string{"NaN", "Infinity", "-Infinity", "4"} {
		if got := special.cell(1, row); got != want {
			t.Errorf("row %d: %q, want %q", row, got, want)
		}
	}
	checkSVG(t, "special", string(linePlot("x", special.series(), span{})))
	many := make([]series, 500)
	for i := range many {
		many[i] = series{Name: fmt.Sprint(i), Points: []point{{1, 1}, {2, 2}}}
	}
	if n := strings.Count(string(linePlot("x", many, span{})), "<path"); n != mostSeries {
		t.Errorf("%d lines", n)
	}
}

func checkSVG(t *testing.T, name, svg string) {
	t.Helper()
	if len(svg) > 100_000 {
		t.Errorf("%s: %d bytes", name, len(svg))
	}
	for _, bad := range []string{"NaN", "Inf", "style="} {
		if strings.Contains(svg, bad) {
			t.Errorf("%s: contains %s: %s", name, bad, svg)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(svg, " hidden/>", "/>"))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v in %s", name, err, svg)
		}
	}
}

// A long frame has a line for each combination of its strings, a frame without times has none, and
// a single row of numbers is shown large.
func TestFrames(t *testing.T) {
	t.Parallel()
	read := func(text string) frame {
		return testkit.Must(readFrame(json.RawMessage(text)))(t)
	}
	long := read(`{"schema":{"fields":[{"name":"t","type":"time"},{"name":"host","type":"string"},{"name":"v","type":"number"}]},
		"data":{"values":[[2,1,1,2],["a","a","b","b"],[10,20,30,40]]}}`)
	var got []string
	for _, s := range long.series() {
		got = append(got, fmt.Sprint(s.Name, s.Points))
	}
	if want := []string{"v a[{1 20} {2 10}]", "v b[{1 30} {2 40}]"}; !slices.Equal(got, want) {
		t.Errorf("long: %q, want %q", got, want)
	}
	plain := read(`{"schema":{"fields":[{"name":"k","type":"string"},{"name":"v","type":"number","config":{"unit":"bytes"}}]},"data":{"values":[["a","b"],[1,null]]}}`)
	if got := plain.Schema.Fields[1].title(); got != "v (bytes)" || plain.series() != nil {
		t.Errorf("without times: %q and lines: %v", got, plain.series())
	}
	single := read(`{"schema":{"fields":[{"name":"v","type":"number","labels":{"b":"2","a":"1"}}]},"data":{"values":[[1234567.5]]}}`)
	if got := single.numbers(); !slices.Equal(got, []labeled{{Name: `v {a="1", b="2"}`, Value: "1234568"}}) {
		t.Errorf("single: %q", got)
	}
	if _, err := readFrame(json.RawMessage(`{"schema":{"name":"x","fields":[{"name":"v"}]},"data":{"values":[]}}`)); err == nil {
		t.Error("a frame without a column of values is accepted")
	}
}

// A plot spans the times that were asked for, not those of the points.
func TestPlotRange(t *testing.T) {
	t.Parallel()
	points := []point{{1, 1000}, {60_000, 1}, {120_000, 2}, {240_001, 1000}}
	svg := string(linePlot("x", []series{{Points: points}}, span{60_000, 240_000}))
	for _, want := range []string{`data-from="60000" data-to="240000"`, `d="M0.0 1000.0L333.3 0.0"`, `data-points="[[60000,1],[120000,2]]"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("the plot does not contain %s: %s", want, svg)
		}
	}
	if len(points) != 4 || points[0].X != 1 {
		t.Errorf("the points have become %v", points)
	}
	if empty := string(linePlot("x", []series{{Points: points[:1]}}, span{60_000, 240_000})); !strings.Contains(empty, `data-to="240000"`) {
		t.Errorf("without points in the range: %s", empty)
	}
}

// Pages plot the range that they ask the API for.
func TestPageRanges(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]time.Duration{
		"/explore?source=uid:x": time.Hour,
		"/explore?source=uid:x&from=2026-01-01&to=2026-01-01T06:00": 6 * time.Hour,
		"/explore?source=uid:x&from=now%2Fd&to=now%2Fd":             24*time.Hour - time.Millisecond,
		`/explore?source=uid:x&query={"timeRange":{"from":"0"}}`:    time.Millisecond, // between the points
	} {
		var asked struct{ From, To json.Number }
		api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/ds/query" {
				body, _ := io.ReadAll(r.Body)
				if err := json.Unmarshal(body, &asked); err != nil {
					t.Errorf("%s: %v in %s", path, err, body)
				}
			}
			fakeAPI{"x", "Admin"}.ServeHTTP(w, r)
		})
		page := load(t, api, strings.ReplaceAll(path, `"`, "%22")).Body.String()
		m := regexp.MustCompile(`data-from="([^"]+)" data-to="([^"]+)"`).FindStringSubmatch(page)
		if m == nil {
			t.Errorf("%s has no plot:\n%s", path, page)
			continue
		}
		from, _ := strconv.ParseFloat(m[1], 64)
		to, _ := strconv.ParseFloat(m[2], 64)
		if to-from != float64(want.Milliseconds()) {
			t.Errorf("%s: the plot spans %s to %s, want %s", path, m[1], m[2], want)
		}
		if asked.From != "" && !strings.Contains(path, "timeRange") && (asked.From.String() != strconv.FormatFloat(from, 'f', -1, 64) || asked.To.String() != strconv.FormatFloat(to, 'f', -1, 64)) {
			t.Errorf("%s: the plot spans %s to %s, but the query %s to %s", path, m[1], m[2], asked.From, asked.To)
		}
	}
}

// A point between gaps is a dot, which lines of other points are not.
func TestDots(t *testing.T) {
	t.Parallel()
	gap := math.NaN()
	for want, values := range map[string][]float64{
		"":                             {0, 10, 5},
		"M0.0 1000.0h0":                {0, gap, 10, 10},
		"M0.0 1000.0h0M666.7 0.0h0":    {0, gap, 10, gap},
		"M333.3 0.0h0M1000.0 1000.0h0": {gap, 10, gap, 0},
	} {
		var points []point
		for i, v := range values {
			points = append(points, point{float64(i), v})
		}
		svg := string(linePlot("x", []series{{Points: points}}, span{0, 3}))
		_, got, _ := strings.Cut(svg, `<path class="dots c0" d="`)
		if got, _, _ = strings.Cut(got, `"`); got != want {
			t.Errorf("%v: dots %q, want %q", values, got, want)
		}
	}
}

// The labels of times that a plot shows do not touch.
func TestSpare(t *testing.T) {
	t.Parallel()
	for span := 10.0; span < 1e12; span *= 1.07 {
		step, layout := timeStep(span)
		for class, width := range map[string]float64{"spare1": mediumWidth, "spare2": narrowWidth} {
			last := math.Inf(-1)
			for i := range int(span/step) + 1 {
				if strings.Contains(spare(i, step/span, len(layout)), class) {
					continue
				}
				at := float64(i) * step / span * width
				if at-last < 7*float64(len(layout))+8 {
					t.Fatalf("%gms: %s labels %g and %g of %s", span, class, last, at, layout)
				}
				last = at
			}
		}
	}
}

func TestTimeStep(t *testing.T) {
	t.Parallel()
	for span, want := range map[time.Duration]string{
		time.Millisecond: "15:04:05.000", time.Minute: "15:04:05", 6 * time.Hour: "15:04",
		36 * time.Hour: "01-02 15:04", 30 * 24 * time.Hour: "2006-01-02",
	} {
		step, layout := timeStep(float64(span.Milliseconds()))
		if n := float64(span.Milliseconds()) / step; layout != want || n > 9 {
			t.Errorf("%s: %s, %v labels", span, layout, n)
		}
	}
	if step, _ := timeStep(1.7e16); 1.7e16/step > 10 {
		t.Errorf("the longest span has steps of %v", step)
	}
}
