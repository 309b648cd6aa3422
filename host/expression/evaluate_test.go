package expression_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/host/expression"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// parseAll returns the nodes of math expressions and models, by refID.
func parseAll(t testing.TB, models map[string]string) (nodes []expression.Node) {
	t.Helper()
	for refID, text := range models {
		if !strings.HasPrefix(text, "{") {
			text = fmt.Sprintf(`{"type": "math", "expression": %q}`, text)
		}
		n, err := expression.Parse(refID, json.RawMessage(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n.Range = span()
		nodes = append(nodes, n)
	}
	return nodes
}

// showAll returns the results or errors by refID.
func showAll(t testing.TB, results map[string]expression.Result) map[string]string {
	t.Helper()
	out := map[string]string{}
	for refID, r := range results {
		out[refID] = show(t, r.Frames)
		if r.Err != nil {
			out[refID] = r.Err.Error()
		}
	}
	return out
}

// TestOrder evaluates expressions that need each other.
func TestOrder(t *testing.T) {
	t.Parallel()
	nodes := parseAll(t, map[string]string{
		"D": "$C * 10", "C": "${B} + 1", "mean of A": `{"type": "reduce", "expression": "A", "reducer": "mean"}`,
		"B": "${mean of A} > 1", "E": `{"type": "threshold", "expression": "D", "conditions": [{"evaluator": {"type": "gt", "params": [10]}}]}`,
	})
	results := expression.Evaluate(t.Context(), nodes, map[string]expression.Result{"A": {Frames: frames(t, "0:1 10:3")}}, enough())
	want := map[string]string{"mean of A": "2", "B": "1", "C": "2", "D": "20", "E": "1"}
	if diff := cmp.Diff(want, showAll(t, results)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNeeds requires that the host can learn which queries an expression needs.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][]string{
		"1 + 1":                {},
		"$B + $A * ${A} - $_1": {"B", "A", "_1"},
		`{"type": "reduce", "expression": "${A b}", "reducer": "sum"}`: {"A b"},
		`{"type": "classic_conditions", "conditions": [
			{"query": {"params": ["B"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}},
			{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}},
			{"query": {"params": ["B"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}}]}`: {"B", "A"},
	} {
		got := parseAll(t, map[string]string{"E": model})[0]
		if diff := cmp.Diff(want, append([]string{}, got.Needs...)); diff != "" || got.RefID != "E" {
			t.Errorf("%s of %s (-want +got):\n%s", model, got.RefID, diff)
		}
	}
}

// TestFailures requires that an expression names the result that it needs and that failed.
func TestFailures(t *testing.T) {
	t.Parallel()
	nodes := parseAll(t, map[string]string{
		"C": "$A + 1", "D": "$C + $B", "E": "$B + 1", "F": "$G", "G": "$H", "H": "$F", "I": "$H", "J": "$X", "K": "$J",
		"L": `{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}}]}`,
	})
	inputs := map[string]expression.Result{
		"A": {Err: errors.New("connection refused"), Frames: frames(t, "1")},
		"B": {Frames: frames(t, "1")},
	}
	got := showAll(t, expression.Evaluate(t.Context(), nodes, inputs, enough()))
	for _, refID := range []string{"F", "G", "H", "I"} { // the order in which a cycle is found may differ
		if !strings.HasPrefix(got[refID], "the expression refers to itself: $") {
			t.Errorf("%s: %s", refID, got[refID])
		}
		delete(got, refID)
	}
	const help = "\nhelp: names are case-sensitive; this request has A, B, C, D, E, F, G, H, I, J and 2 more"
	want := map[string]string{
		"C": "$A failed: connection refused",
		"D": "$C failed: $A failed: connection refused",
		"E": "2",
		"J": "$X not found" + help,
		"K": "$J failed: $X not found" + help,
		"L": "$A failed: connection refused",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// many returns numbers with different labels.
func many(n int, key string) []*frame.Frame {
	var list []*frame.Frame
	for i := range n {
		list = append(list, frame.New("", field("value", map[string]string{key: fmt.Sprint(i)}, []float64{1})))
	}
	return list
}

// TestLongNames requires that errors repeat neither long names nor many of them.
func TestLongNames(t *testing.T) {
	t.Parallel()
	const n = 50
	name := func(i int) string { return fmt.Sprintf("%0100d", i%n) }
	models := map[string]string{}
	for i := range n {
		models[name(i)] = fmt.Sprintf(`{"type": "reduce", "reducer": "sum", "expression": %q}`, name(i+1))
	}
	for refID, r := range expression.Evaluate(t.Context(), parseAll(t, models), nil, enough()) {
		if r.Err == nil || len(r.Err.Error()) > 700 || !strings.Contains(r.Err.Error(), "... -> ... -> $") {
			t.Fatalf("%s: %v", refID, r.Err)
		}
	}
}

// TestLimits exceeds each bound.
func TestLimits(t *testing.T) {
	t.Parallel()
	const points, items, pairs = "the expressions of a request may compute at most 40 points", "the expressions of a request may compute at most 30 series and numbers", "the expressions of a request may compare the labels of at most 50 pairs of series"
	limits := expression.Limits{Points: 40, Items: 30, Comparisons: 50}
	for _, test := range []struct {
		name   string
		inputs map[string]expression.Result
		models map[string]string
		want   string // of E
	}{
		{"the points of an input", map[string]expression.Result{"A": {Frames: many(10, "a")}, "B": {Frames: frames(t, strings.Repeat("0:1 ", 31))}}, map[string]string{"E": "$A + $B"}, points},
		{"repeated operators", map[string]expression.Result{"A": {Frames: frames(t, "0:1 1:1 2:1 3:1 4:1 5:1")}}, map[string]string{"E": "$A" + strings.Repeat(" + 1", 9)}, points},
		{"several expressions", map[string]expression.Result{"A": {Frames: frames(t, "0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1")}}, map[string]string{"B": "$A+1", "C": "$B+1", "D": "$C+1", "F": "$D+1", "E": "$F+1"}, points},
		{"the items of an input", map[string]expression.Result{"A": {Frames: many(31, "a")}}, map[string]string{"E": "$A"}, items},
		{"the items of a union", map[string]expression.Result{"A": {Frames: many(12, "a")}, "B": {Frames: many(12, "a")}}, map[string]string{"E": "$A + 1 + $B"}, items},
		{"the pairs of a union", map[string]expression.Result{"A": {Frames: many(10, "a")}, "B": {Frames: many(10, "b")}}, map[string]string{"E": "$A + $B"}, pairs},
		{"the pairs of several unions", map[string]expression.Result{"A": {Frames: many(4, "a")}, "B": {Frames: many(4, "a")}}, map[string]string{"E": "$A + $B + $B + $B + $B"}, pairs},
		{"samples", map[string]expression.Result{"A": {Frames: frames(t, "0:1")}}, map[string]string{"E": `{"type": "resample", "expression": "A", "window": "1ns", "downsampler": "sum", "upsampler": "pad"}`},
			"window: 1ns divides the time range into too many samples: " + points},
		{"samples of all series", map[string]expression.Result{"A": {Frames: frames(t, "{a=b} 0:1; {a=c} 0:1; {a=d} 0:1")}}, map[string]string{"E": `{"type": "resample", "expression": "A", "window": "2s", "downsampler": "sum", "upsampler": "pad"}`}, points},
		{"reduce", map[string]expression.Result{"A": {Frames: frames(t, strings.Repeat("0:1 ", 30))}}, map[string]string{"E": `{"type": "reduce", "expression": "A", "reducer": "last"}`}, points},
		{"conditions", map[string]expression.Result{"A": {Frames: frames(t, "0:1 1:1 2:1 3:1 4:1 5:1")}}, map[string]string{"E": `{"type": "classic_conditions", "conditions": [` +
			strings.Repeat(`{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}},`, 6) +
			`{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "no_value"}}]}`}, points},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := showAll(t, expression.Evaluate(t.Context(), parseAll(t, test.models), test.inputs, limits))["E"]
			text, _, _ := strings.Cut(got, "\nhelp: ")
			if i := strings.LastIndex(text, " failed: "); i >= 0 {
				text = text[i+len(" failed: "):]
			}
			if text != test.want || !strings.Contains(got, "\nhelp: ") {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestProduct requires that a product is refused before it is in memory. Items with the
// same labels, of which unions with an item without labels make several, are all
// combined with each other.
func TestProduct(t *testing.T) {
	t.Parallel()
	models := map[string]string{"B0": "$A + $A"}
	for n := range 9 {
		models[fmt.Sprintf("B%d", n+1)] = fmt.Sprintf("$B%d + $B%d", n, n)
	}
	limits := expression.Limits{Points: 1 << 40, Items: 50_000, Comparisons: 1 << 40}
	inputs := map[string]expression.Result{"A": {Frames: frames(t, "{host=a} 1; 1")}}
	got := showAll(t, expression.Evaluate(t.Context(), parseAll(t, models), inputs, limits))["B9"]
	if want := "at most 50000 series and numbers"; !strings.Contains(got, want) {
		t.Errorf("got %.200s, want %s", got, want)
	}
}

// TestNotices requires that a long expression does not collect notices without end.
func TestNotices(t *testing.T) {
	t.Parallel()
	var parts []string
	for _, operator := range []string{"+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">="} {
		parts = append(parts, fmt.Sprintf("($A %s $B)", operator))
	}
	text := strings.Join(parts, " + ")
	inputs := map[string]expression.Result{"A": {Frames: frames(t, "{host=a} 1; {host=b} 2")}, "B": {Frames: frames(t, "{host=a} 1; {host=c} 2")}}
	got := expression.Evaluate(t.Context(), parseAll(t, map[string]string{"E": text}), inputs, enough())["E"]
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	if n := len(got.Frames[0].Meta.Notices); n != 10 {
		t.Errorf("%d notices", n)
	}
}

// TestDeep exceeds the bounds on the text of an expression.
func TestDeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101):    "column 101: nested more than 100 levels deep",
		strings.Repeat("-", 200) + "1":                               "column 101: nested more than 100 levels deep",
		strings.Repeat("abs(", 200) + "1" + strings.Repeat(")", 200): "column 401: nested more than 100 levels deep",
		strings.Repeat("1?", 200) + "1" + strings.Repeat(":1", 200):  "column 201: nested more than 100 levels deep",
		strings.Repeat("1+", 4096) + "1":                             "longer than 8192 bytes",
		strings.Repeat("(", 99) + "1" + strings.Repeat(")", 99):      "",
		strings.Repeat("1+", 4000) + "1":                             "",
	} {
		_, err := expression.Parse("E", json.RawMessage(fmt.Sprintf(`{"type": "math", "expression": %q}`, text)))
		if got := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(got, want) {
			t.Errorf("%.20s...: got %s, want %s", text, got, want)
		}
	}
}

// cancelAfter is a context that is canceled after a number of calls of Err.
type cancelAfter struct {
	context.Context
	left *int
}

func (c cancelAfter) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels at each point at which the package checks the context.
func TestCancel(t *testing.T) {
	t.Parallel()
	inputs := map[string]expression.Result{"A": {Frames: many(10, "a")}, "B": {Frames: many(10, "a")}}
	nodes := parseAll(t, map[string]string{"E": "$A + $B"})
	for n := range 1000 {
		left := n
		err := expression.Evaluate(cancelAfter{t.Context(), &left}, nodes, inputs, enough())["E"].Err
		if err == nil {
			if n < 30 {
				t.Errorf("the context was checked only %d times", n)
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	t.Error("it never ended")
}

// TestInputsStay requires that evaluating does not change the frames of queries.
func TestInputsStay(t *testing.T) {
	t.Parallel()
	const text = "{host=a} 10:2 0:1; {host=b} 0:null 10:NaN"
	inputs := map[string]expression.Result{"A": {Frames: frames(t, text)}}
	nodes := parseAll(t, map[string]string{
		"C": "$A + 1", "D": `{"type": "reduce", "expression": "A", "reducer": "median", "settings": {"mode": "replaceNN", "replaceWithValue": 0}}`,
		"E": `{"type": "resample", "expression": "A", "window": "5s", "downsampler": "median", "upsampler": "pad"}`,
	})
	expression.Evaluate(t.Context(), nodes, inputs, enough())
	if diff := cmp.Diff(inputs["A"].Frames, frames(t, text), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-now +before):\n%s", diff)
	}
}
