package expression_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/expression"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// FuzzParse requires that each math expression is parsed, or refused with help, and that
// white space between parentheses does not change its result.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"1 + 2 * -3 ** 4 % 5 / 6", "$A && !${A b} || $B_1", "abs(-0.8e-2) <= 0x2A != 072", "is_number($A) ? $A : null()", "((1)", "$", "${", "1e", "0x", ".", "ä\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parse := func(text string) (expression.Node, error) {
			model, err := json.Marshal(map[string]string{"type": "math", "expression": text})
			if err != nil {
				t.Fatal(err)
			}
			return expression.Parse("E", model)
		}
		n, err := parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), "\nhelp: ") {
				t.Errorf("no help in: %v", err)
			}
			return
		}
		again, err := parse("( " + text + " )")
		if err != nil {
			if strings.Contains(err.Error(), "nested more than") || strings.Contains(err.Error(), "longer than") {
				return
			}
			t.Fatalf("in parentheses: %v", err)
		}
		inputs := map[string]expression.Result{}
		for _, need := range n.Needs {
			inputs[need] = expression.Result{Frames: frames(t, "{host=a} 0:1 10:null; {host=b} 2")}
		}
		limits := expression.Limits{Points: 10_000, Items: 10_000, Comparisons: 10_000}
		one := showAll(t, expression.Evaluate(t.Context(), []expression.Node{n}, inputs, limits))
		two := showAll(t, expression.Evaluate(t.Context(), []expression.Node{again}, inputs, limits))
		if diff := cmp.Diff(one, two); diff != "" {
			t.Errorf("%q has another result in parentheses:\n%s", text, diff)
		}
	})
}

// randomFrames returns frames with fields of many types, mostly of the same length.
func randomFrames(r *rand.Rand) []*frame.Frame {
	var list []*frame.Frame
	for range r.IntN(4) {
		f := frame.New([]string{"", "name"}[r.IntN(2)])
		rows := r.IntN(6)
		for range r.IntN(5) {
			f.Fields = append(f.Fields, randomField(r, rows+r.IntN(20)/19))
		}
		list = append(list, f)
	}
	return list
}

func randomField(r *rand.Rand, rows int) frame.Field {
	numbers := []float64{0, 1, -1, 2.5, math.NaN(), math.Inf(1), math.MaxFloat64}
	number := func() float64 { return numbers[r.IntN(len(numbers))] }
	at := func() time.Time {
		return []time.Time{second(r.IntN(6) * 10), time.Unix(0, math.MinInt64), {}}[min(r.IntN(20)/9, 2)]
	}
	text := func() string { return []string{"a", "b"}[r.IntN(2)] }
	var f frame.Field
	switch r.IntN(15) {
	case 0, 1:
		f = column(rows, orNull(r, number))
	case 2:
		f = column(rows, number)
	case 3:
		f = column(rows, orNull(r, func() int64 { return 0 }))
	case 4:
		f = column(rows, func() uint8 { return 0 })
	case 5:
		f = column(rows, func() float32 { return 0 })
	case 6, 7:
		f = column(rows, at)
	case 8:
		f = column(rows, orNull(r, at))
	case 9:
		f = column(rows, text)
	case 10:
		f = column(rows, orNull(r, text))
	case 11:
		f = column(rows, func() bool { return false })
	case 12:
		f = column(rows, func() json.RawMessage { return nil })
	case 13:
		f = column(rows, func() frame.Enum { return 0 })
	case 14:
		f = column(rows, orNull(r, func() frame.Enum { return 0 }))
	}
	f.Head().Name = []string{"", "x", "y"}[r.IntN(3)]
	if n := r.IntN(4); n > 0 {
		f.Head().Labels = map[string]string{[]string{"host", "dc"}[r.IntN(2)]: []string{"a", "b", "c"}[n-1]}
	}
	return f
}

func column[T frame.Value](rows int, value func() T) frame.Field {
	c := frame.Of[T]("", nil)
	for range rows {
		c.Append(value())
	}
	return c
}

func orNull[T any](r *rand.Rand, value func() T) func() *T {
	return func() *T {
		if r.IntN(4) == 0 {
			return nil
		}
		return new(value())
	}
}

// FuzzEvaluate requires that each expression on arbitrary frames has a result that can be
// sent, and always the same one, or an error.
func FuzzEvaluate(f *testing.F) {
	const conditions = `"conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "percent_diff"}, "evaluator": {"type": "outside_range", "params": [1, 2]}, "operator": {"type": "or"}}]`
	for n, seed := range []string{
		`{"type": "math", "expression": "$A + $B * 2 > 1 ? $A : log($B)"}`,
		`{"type": "math", "expression": "$A % $B || !$A"}`,
		`{"type": "reduce", "expression": "A", "reducer": "median", "settings": {"mode": "dropNN"}}`,
		`{"type": "reduce", "expression": "A", "reducer": "max", "settings": {"mode": "replaceNN", "replaceWithValue": 1}}`,
		`{"type": "resample", "expression": "A", "window": "7s", "downsampler": "last", "upsampler": "backfilling"}`,
		`{"type": "resample", "expression": "A", "window": "1ns", "downsampler": "sum", "upsampler": "fillna"}`,
		`{"type": "threshold", "expression": "A", ` + conditions + `}`,
		`{"type": "classic_conditions", ` + conditions + `}`,
	} {
		for seed2 := range uint64(40) {
			f.Add(seed, uint64(n)<<32+seed2)
		}
	}
	limits := expression.Limits{Points: 500, Items: 100, Comparisons: 500}
	f.Fuzz(func(t *testing.T, model string, seed uint64) {
		node, err := expression.Parse("E", json.RawMessage(model))
		if err != nil {
			return
		}
		node.Range = span()
		r := rand.New(rand.NewPCG(seed, 1))
		inputs := map[string]expression.Result{"A": {Frames: randomFrames(r)}, "B": {Frames: randomFrames(r)}}
		run := func() string {
			result := expression.Evaluate(t.Context(), []expression.Node{node}, inputs, limits)["E"]
			if (result.Err == nil) == (len(result.Frames) == 0) {
				t.Fatalf("frames and error: %v", result)
			}
			if result.Err != nil {
				return result.Err.Error()
			}
			points := 0
			for _, frame := range result.Frames {
				if len(frame.Fields) > 2 {
					t.Fatalf("%d fields", len(frame.Fields))
				}
				if len(frame.Fields) > 0 {
					points += frame.Fields[0].Len()
				}
			}
			if points > limits.Points {
				t.Errorf("%d points", points)
			}
			text, err := json.Marshal(result.Frames)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if diff := cmp.Diff(run(), run()); diff != "" {
			t.Errorf("the second result differs:\n%s", diff)
		}
	})
}
