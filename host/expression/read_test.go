package expression_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/expression"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// identity returns the items of $A as an expression reads them.
func identity(t *testing.T, list []*frame.Frame) string {
	t.Helper()
	node, err := expression.Parse("E", json.RawMessage(`{"type": "math", "expression": "$A + 0"}`))
	if err != nil {
		t.Fatal(err)
	}
	result := expression.Evaluate(t.Context(), []expression.Node{node}, map[string]expression.Result{"A": {Frames: list}}, enough())["E"]
	if result.Err != nil {
		return result.Err.Error()
	}
	return show(t, result.Frames)
}

// TestShapes reads frames of every documented shape.
func TestShapes(t *testing.T) {
	t.Parallel()
	times := []time.Time{second(0), second(10)}
	for _, test := range []struct {
		name   string
		frames []*frame.Frame
		want   string
	}{
		{"multi", []*frame.Frame{
			frame.New("", frame.Of("time", times), field("cpu", map[string]string{"host": "a"}, []float64{1, 2})),
			frame.New("", frame.Of("time", times), field("cpu", map[string]string{"host": "b"}, []int64{3, 4})),
		}, "{host=a} 0:1 10:2; {host=b} 0:3 10:4"},
		{"wide", []*frame.Frame{frame.New("",
			field("cpu", map[string]string{"host": "a"}, []float32{1, 2}),
			frame.Of("time", times),
			field("cpu", map[string]string{"host": "b"}, []*uint8{nil, new(uint8(4))}),
		)}, "{host=a} 0:1 10:2; {host=b} 0:null 10:4"},
		{"wide with names only", []*frame.Frame{frame.New("",
			frame.Of("time", times), frame.Of("cpu", []float64{1, 2}), frame.Of("mem", []float64{3, 4}),
		)}, "{__name__=cpu} 0:1 10:2; {__name__=mem} 0:3 10:4"},
		{"long", []*frame.Frame{frame.New("",
			frame.Of("time", []time.Time{second(10), second(0), second(0), second(10)}),
			frame.Of("host", []string{"a", "a", "b", "b"}),
			frame.Of("up", []*bool{nil, nil, new(true), new(true)}),
			frame.Of("cpu", []float64{2, 1, 3, 4}),
		)}, "{host=a,up=} 0:1 10:2; {host=b,up=true} 0:3 10:4"},
		{"long without some rows", []*frame.Frame{frame.New("",
			frame.Of("time", []time.Time{second(0), second(10), second(10)}),
			frame.Of("host", []*string{new("a"), new("a"), nil}),
			frame.Of("cpu", []float64{1, 2, 4}),
		)}, "{host=a} 0:1 10:2; {host=} 10:4"},
		{"long with two numbers", []*frame.Frame{frame.New("",
			frame.Of("time", times), frame.Of("host", []string{"a", "a"}),
			frame.Of("cpu", []float64{1, 2}), frame.Of("mem", []float64{3, 4}),
		)}, "{__name__=cpu,host=a} 0:1 10:2; {__name__=mem,host=a} 0:3 10:4"},
		{"null times", []*frame.Frame{frame.New("",
			frame.Of("time", []*time.Time{new(second(0)), nil}), frame.Of("cpu", []float64{1, 2}),
		)}, "0:1"},
		{"numeric long", []*frame.Frame{frame.New("",
			frame.Of("Loc", []string{"MIA", "NYC"}), frame.Of("Host", []string{"A", "B"}), frame.Of("Avg_CPU", []float64{1, 2}),
		)}, "{Host=A,Loc=MIA} 1; {Host=B,Loc=NYC} 2"},
		{"numeric wide", []*frame.Frame{frame.New("",
			field("cpu", map[string]string{"host": "a"}, []float64{1}), field("cpu", map[string]string{"host": "b"}, []float64{2}),
		)}, "{host=a} 1; {host=b} 2"},
		{"numeric multi", []*frame.Frame{
			frame.New("", field("cpu", map[string]string{"host": "a"}, []float64{1})),
			frame.New("", field("cpu", map[string]string{"host": "b"}, []float64{2})),
		}, "{host=a} 1; {host=b} 2"},
		{"labels of row and field", []*frame.Frame{frame.New("",
			frame.Of("host", []string{"a"}), field("cpu", map[string]string{"dc": "x", "host": "ignored"}, []float64{1}),
		)}, "{dc=x,host=a} 1"},
		{"empty table", []*frame.Frame{frame.New("", frame.Of("host", []string{}))}, ""},
		{"empty frames", []*frame.Frame{frame.New(""), nil}, ""},
		{"no rows", []*frame.Frame{frame.New("", frame.Of("time", []time.Time{}), field("cpu", map[string]string{"host": "a"}, []float64{}))}, "{host=a} []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, identity(t, test.frames)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNumbers reads numbers of every type.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first           string
		plain, nullable frame.Field
	}{
		{"-1", frame.Of("", []int8{-1, 2}), frame.Of("", []*int8{new(int8(-1)), nil})},
		{"-1", frame.Of("", []int16{-1, 2}), frame.Of("", []*int16{new(int16(-1)), nil})},
		{"-1", frame.Of("", []int32{-1, 2}), frame.Of("", []*int32{new(int32(-1)), nil})},
		{"-1", frame.Of("", []int64{-1, 2}), frame.Of("", []*int64{new(int64(-1)), nil})},
		{"-1", frame.Of("", []int{-1, 2}), frame.Of("", []*int{new(int(-1)), nil})},
		{"-1.5", frame.Of("", []float32{-1.5, 2}), frame.Of("", []*float32{new(float32(-1.5)), nil})},
		{"-1.5", frame.Of("", []float64{-1.5, 2}), frame.Of("", []*float64{new(float64(-1.5)), nil})},
		{"255", frame.Of("", []uint8{255, 2}), frame.Of("", []*uint8{new(uint8(255)), nil})},
		{"65535", frame.Of("", []uint16{65535, 2}), frame.Of("", []*uint16{new(uint16(65535)), nil})},
		{"4.294967295e+09", frame.Of("", []uint32{4294967295, 2}), frame.Of("", []*uint32{new(uint32(4294967295)), nil})},
		{"1.8446744073709552e+19", frame.Of("", []uint64{math.MaxUint64, 2}), frame.Of("", []*uint64{new(uint64(math.MaxUint64)), nil})},
	} {
		times := frame.Of("time", []time.Time{second(0), second(10)})
		if got, want := identity(t, []*frame.Frame{frame.New("", times, test.plain)}), "0:"+test.first+" 10:2"; got != want {
			t.Errorf("%T: got %s, want %s", test.plain, got, want)
		}
		if got, want := identity(t, []*frame.Frame{frame.New("", times, test.nullable)}), "0:"+test.first+" 10:null"; got != want {
			t.Errorf("%T: got %s, want %s", test.nullable, got, want)
		}
	}
}

// TestUnreadable requires that an error names the frame and the shapes that can be read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const help = "\nhelp: return a time field with number fields, optionally with string fields that become labels, or a table of string fields and one number field"
	times := frame.Of("time", []time.Time{second(0), second(10)})
	for want, list := range map[string][]*frame.Frame{
		"cannot read frame 1 (logs) of $A: it has no number field" + help: {frame.New(""),
			frame.New("logs", times, frame.Of("line", []string{"a", "b"}))},
		"cannot read frame 0 of $A: it has no number field" + help:                                     {frame.New("", frame.Of("host", []string{"a"}))},
		"cannot read frame 0 of $A: it has 2 rows, and neither a time field nor a string field" + help: {frame.New("", frame.Of("cpu", []float64{1, 2}))},
		`cannot read frame 0 of $A: it has 2 number fields ("cpu", "mem")` + help: {frame.New("",
			frame.Of("host", []string{"a"}), frame.Of("cpu", []float64{1}), frame.Of("mem", []float64{1}))},
		"cannot read frame 0 of $A: field 0 has 2 rows, but field 1 has 1": {frame.New("", times, frame.Of("cpu", []float64{1}))},
		"$A has several results with the labels {host=a}\nhelp: add labels that tell them apart": {frame.New("",
			frame.Of("host", []string{"a", "a"}), frame.Of("cpu", []float64{1, 2}))},
	} {
		if diff := cmp.Diff(want, identity(t, list)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestFrames compares the JSON of results with what panels draw.
func TestFrames(t *testing.T) {
	t.Parallel()
	node, err := expression.Parse("E", json.RawMessage(`{"type": "math", "expression": "$A * 2"}`))
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]expression.Result{"A": {Frames: frames(t, "{host=a} 0:1 10:null; {host=b} 5")}}
	got := expression.Evaluate(t.Context(), []expression.Node{node}, inputs, enough())["E"].Frames
	series := frame.New("", frame.Of("Time", []time.Time{second(0), second(10)}), field("E", map[string]string{"host": "a"}, []*float64{new(2.0), nil}))
	series.RefID, series.Meta = "E", &frame.Meta{Type: frame.TimeSeriesMulti, TypeVersion: [2]uint{0, 1}}
	number := frame.New("", field("E", map[string]string{"host": "b"}, []*float64{new(10.0)}))
	number.RefID, number.Meta = "E", &frame.Meta{Type: frame.NumericMulti, TypeVersion: [2]uint{0, 1}}
	if diff := cmp.Diff([]*frame.Frame{series, number}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
