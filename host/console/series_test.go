package console

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// script evaluates expressions with what table.js and series.js declare.
type script struct{ vm *goja.Runtime }

func newScript(t *testing.T) script {
	t.Helper()
	vm := goja.New()
	module := regexp.MustCompile(`(?m)^import .*$|^export `)
	for _, name := range []string{"table.js", "series.js"} {
		text := module.ReplaceAllString(string(testkit.Must(files.ReadFile("static/"+name))(t)), "")
		testkit.Must(vm.RunScript(name, text))(t)
	}
	return script{vm}
}

// eval returns the value of an expression, in which x is a value from JSON.
func (s script) eval(t *testing.T, expression, x string) string {
	t.Helper()
	return testkit.Must(s.vm.RunString("{ const x = " + x + "; " + expression + " }"))(t).String()
}

// A thinned line has the extremes of the whole one.
func TestThin(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	const prepare = `const points = Array.from({length: 20000}, (_, i) => [i, Math.sin(i / 1000)]);
		points[12345][1] = 9; points[4321][1] = -9; points[777][1] = NaN;
		const got = thin(points, x), values = got.map((p) => p[1]).filter((v) => !Number.isNaN(v));
		[got.length <= 4 * (20000 / x + 1), got[0] === points[0], got[got.length - 1] === points[19999], got.every((p, i) => i === 0 || p[0] > got[i - 1][0]),
			Math.max(...values), Math.min(...values)].join()`
	if got := s.eval(t, prepare, "100"); got != "true,true,true,true,9,-9" {
		t.Errorf("thinned: %s", got)
	}
	for expression, want := range map[string]string{
		`thin(Array.from({length: 4000}, (_, i) => [i, i]), x).length`: "4000",
		`thin(Array.from({length: 5000}, () => [0, 0]), x).length`:     "2", // all at the same time
	} {
		if got := s.eval(t, expression, "20"); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

func TestRoundScale(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	for x, want := range map[string][2]float64{
		"[0, 10]": {0, 10}, "[-3, 3]": {-4, 4}, "[0.1, 0.9]": {0, 1}, "[5, 5]": {4, 6},
		"[Infinity, -Infinity]":  {0, 1}, // no value
		"[-1e100, 1e100]":        {-1e100, 1e100},
		"[1e15, 1e15 + 1]":       {9e14, 1.15e15}, // differences are invisible at this size
		"[0, 5e-324]":            {-1, 1},
		"[999999.5, 1000000.25]": {999999.4, 1000000.4},
	} {
		var scale struct {
			From, To float64
			Ticks    []float64
		}
		testkit.OK(t, json.Unmarshal([]byte(s.eval(t, "JSON.stringify(roundScale(...x))", x)), &scale))
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
		n := len(scale.Ticks)
		if !near(scale.From, want[0]) || !near(scale.To, want[1]) || n < 3 || n > 12 || scale.Ticks[0] != scale.From || !near(scale.Ticks[n-1], scale.To) {
			t.Errorf("%s: %+v, want %v", x, scale, want)
		}
	}
}

// A long frame has a line for each combination of its strings, a frame without times has none, and
// what is not a number that can be drawn is a gap.
func TestSeries(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	const fields = `{schema: {fields: [{name: "t", type: "time"}, {name: "v", type: "number"}]}, data: {values: [%s]}}`
	for x, want := range map[string]string{
		`{schema: {fields: [{name: "t", type: "time"}, {name: "host", type: "string"}, {name: "v", type: "number"}]},
			data: {values: [[2, 1, 1, 2], ["a", "a", "b", "b"], [10, 20, 30, 40]]}}`: `v a[[1,20],[2,10]] v b[[1,30],[2,40]]`,
		`{schema: {fields: [{name: "k", type: "string"}, {name: "v", type: "number"}]}, data: {values: [["a", "b"], [1, null]]}}`: ``,
		`{schema: {fields: [{name: "t", type: "time"}, {name: "v", type: "number", config: {unit: "bytes"}, labels: {b: "2", a: "1"}}]},
			data: {values: [[1, 2, 3], [null, null, 4]], entities: [null, {NaN: [0], Inf: [1]}]}}`: `v {a="1", b="2"} (bytes)[[1,null],[2,null],[3,4]]`,
		fmt.Sprintf(fields, `[], []`):                                                                      ``,
		fmt.Sprintf(fields, `[1, 2, 3], [1e308, -1e308, 1]`):                                               `v[[1,null],[2,null],[3,1]]`,
		fmt.Sprintf(fields, `[-1e300, 1e300, 1], [1, 2, 3]`):                                               `v[[1,3]]`,
		fmt.Sprintf(fields, `[null, null], [1, 2]`):                                                        ``,
		fmt.Sprintf(fields, `[1, 2, 3], [1]`):                                                              `v[[1,1],[2,null],[3,null]]`,
		fmt.Sprintf(fields, `["a", {}, []], [true, "x", {}]`):                                              ``,
		fmt.Sprintf(fields, `[1, 2], [true, "x"]`):                                                         `v[[1,null],[2,null]]`,
		`{schema: {fields: [{type: "time"}]}, data: {values: []}}`:                                         ``,
		`{schema: {fields: [{type: "time"}, {type: "number", config: null}]}, data: {values: [[1], [2]]}}`: `[[1,2]]`,
		`{schema: {fields: [{}, {type: "number"}]}, data: {values: []}}`:                                   ``,
	} {
		if got := s.eval(t, `seriesOf(x).map((s) => s.name + JSON.stringify(s.points)).join(" ")`, x); got != want {
			t.Errorf("%s: %s, want %s", x, got, want)
		}
	}
	const packet = `{schema: {fields: [{name: "a", type: "number", labels: {host: "x"}}, {name: "b", type: "number"}]}, data: {values: [[1, null], [null, 2]]}}`
	if got := s.eval(t, `seriesOf(x, 7).map((s) => s.key + JSON.stringify(s.points)).join(" ")`, packet); got != `0 a {host="x"}[[7,1]] 1 b[[7,2]]` {
		t.Errorf("a stream: %s", got)
	}
	const many = `{schema: {fields: [{type: "time"}, ...Array.from({length: 500}, () => ({type: "number"}))]}, data: {values: Array.from({length: 501}, () => [1])}}`
	if got := s.eval(t, `seriesOf(x).length`, many); got != "100" {
		t.Errorf("%s lines", got)
	}
}

// A single row of numbers is shown large, and cells that JSON cannot represent have names.
func TestNumbersAndCells(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	const frame = `{schema: {fields: [{name: "v", type: "number"}, {type: "number"}]}, data: {values: [[%s], [null]]}}`
	for value, want := range map[string]string{"1234567.5": "1234568", "0.1234567": "0.123457", "1e21": "1e+21", "-3": "-3", "0": "0"} {
		if got := s.eval(t, `JSON.stringify(numbersOf(x))`, fmt.Sprintf(frame, value)); got != `[{"name":"v","text":"`+want+`"}]` {
			t.Errorf("%s: %s", value, got)
		}
	}
	const special = `{schema: {fields: [{type: "time"}, {type: "number"}]}, data: {values: [[0, null], [null, null, null, 4, {"a": 1}]], entities: [null, {NaN: [0], Inf: [1], NegInf: [2, -1, 9]}]}}`
	if got := s.eval(t, `columnsOf(x).map((c) => [0, 1, 2, 3, 4, 5].map(c.text).join("|")).join(" ")`, special); got != `1970-01-01 00:00:00.000||||| NaN|Infinity|-Infinity|4|{"a":1}|` {
		t.Errorf("cells: %s", got)
	}
}

// A point between gaps is a dot, which lines of other points are not.
func TestDots(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	for x, want := range map[string]string{
		"[0, 10, 5]":       "M0.0 0.0L1.0 10.0L2.0 5.0 ",
		"[0, NaN, 10, 10]": "M0.0 0.0M2.0 10.0L3.0 10.0 M0.0 0.0h0",
		"[NaN, 10, NaN]":   "M1.0 10.0 M1.0 10.0h0",
		"[]":               " ",
	} {
		if got := s.eval(t, `const p = paths(x.map((v, i) => [i, v]), (t) => t, (v) => v); p.line + " " + p.dots`, x); got != want {
			t.Errorf("%s: %q, want %q", x, got, want)
		}
	}
}

// The labels of times that a plot shows do not touch, and there are not too many.
func TestTimeLabels(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	label := func(span float64) (step float64, length int) {
		var result struct {
			Step   float64
			Length int
		}
		testkit.OK(t, json.Unmarshal([]byte(s.eval(t, `const {step, part} = timeStep(x); JSON.stringify({step, length: timeText(0).slice(...part).length})`, fmt.Sprint(span))), &result))
		return result.Step, result.Length
	}
	for span, want := range map[time.Duration]string{
		time.Millisecond: "03:04:05.678", time.Minute: "03:04:05", 6 * time.Hour: "03:04", 36 * time.Hour: "01-02 03:04", 30 * 24 * time.Hour: "2006-01-02",
	} {
		at := time.Date(2006, 1, 2, 3, 4, 5, 678e6, time.UTC).UnixMilli()
		if got := s.eval(t, fmt.Sprintf(`timeText(%d).slice(...timeStep(x).part)`, at), fmt.Sprint(span.Milliseconds())); got != want {
			t.Errorf("%s: %s, want %s", span, got, want)
		}
	}
	if got := s.eval(t, `timeText(x).slice(...timeStep(3e5).part) + " " + timeText(x).slice(...timeStep(3e16).part)`, "1.7e15"); got != "22:13 55840" {
		t.Errorf("a year of five digits: %s", got)
	}
	for span := 10.0; span < 1e17; span *= 1.37 {
		step, length := label(span)
		if n := span / step; n > 10 {
			t.Errorf("%gms: %g labels", span, n)
		}
		for class, width := range map[string]float64{"spare1": 340, "spare2": 200} {
			last := math.Inf(-1)
			for i := range int(span/step) + 1 {
				if strings.Contains(s.eval(t, fmt.Sprintf(`spare(%d, x, %d)`, i, length), fmt.Sprint(step/span)), class) {
					continue
				}
				at := float64(i) * step / span * width
				if at-last < 7*float64(length)+8 {
					t.Fatalf("%gms: %s labels %g and %g of %d characters", span, class, last, at, length)
				}
				last = at
			}
		}
	}
}
