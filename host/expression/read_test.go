package expression_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/host/expression"
)

// identity returns the items of $A as an expression reads them.
func identity(t *testing.T, list data.Frames) string {
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
		frames data.Frames
		want   string
	}{
		{"multi", data.Frames{
			data.NewFrame("", data.NewField("time", nil, times), data.NewField("cpu", data.Labels{"host": "a"}, []float64{1, 2})),
			data.NewFrame("", data.NewField("time", nil, times), data.NewField("cpu", data.Labels{"host": "b"}, []int64{3, 4})),
		}, "{host=a} 0:1 10:2; {host=b} 0:3 10:4"},
		{"wide", data.Frames{data.NewFrame("",
			data.NewField("cpu", data.Labels{"host": "a"}, []float32{1, 2}),
			data.NewField("time", nil, times),
			data.NewField("cpu", data.Labels{"host": "b"}, []*uint8{nil, new(uint8(4))}),
		)}, "{host=a} 0:1 10:2; {host=b} 0:null 10:4"},
		{"wide with names only", data.Frames{data.NewFrame("",
			data.NewField("time", nil, times), data.NewField("cpu", nil, []float64{1, 2}), data.NewField("mem", nil, []float64{3, 4}),
		)}, "{__name__=cpu} 0:1 10:2; {__name__=mem} 0:3 10:4"},
		{"long", data.Frames{data.NewFrame("",
			data.NewField("time", nil, []time.Time{second(10), second(0), second(0), second(10)}),
			data.NewField("host", nil, []string{"a", "a", "b", "b"}),
			data.NewField("up", nil, []*bool{nil, nil, new(true), new(true)}),
			data.NewField("cpu", nil, []float64{2, 1, 3, 4}),
		)}, "{host=a,up=} 0:1 10:2; {host=b,up=true} 0:3 10:4"},
		{"long without some rows", data.Frames{data.NewFrame("",
			data.NewField("time", nil, []time.Time{second(0), second(10), second(10)}),
			data.NewField("host", nil, []*string{new("a"), new("a"), nil}),
			data.NewField("cpu", nil, []float64{1, 2, 4}),
		)}, "{host=a} 0:1 10:2; {host=} 10:4"},
		{"long with two numbers", data.Frames{data.NewFrame("",
			data.NewField("time", nil, times), data.NewField("host", nil, []string{"a", "a"}),
			data.NewField("cpu", nil, []float64{1, 2}), data.NewField("mem", nil, []float64{3, 4}),
		)}, "{__name__=cpu,host=a} 0:1 10:2; {__name__=mem,host=a} 0:3 10:4"},
		{"null times", data.Frames{data.NewFrame("",
			data.NewField("time", nil, []*time.Time{new(second(0)), nil}), data.NewField("cpu", nil, []float64{1, 2}),
		)}, "0:1"},
		{"numeric long", data.Frames{data.NewFrame("",
			data.NewField("Loc", nil, []string{"MIA", "NYC"}), data.NewField("Host", nil, []string{"A", "B"}), data.NewField("Avg_CPU", nil, []float64{1, 2}),
		)}, "{Host=A,Loc=MIA} 1; {Host=B,Loc=NYC} 2"},
		{"numeric wide", data.Frames{data.NewFrame("",
			data.NewField("cpu", data.Labels{"host": "a"}, []float64{1}), data.NewField("cpu", data.Labels{"host": "b"}, []float64{2}),
		)}, "{host=a} 1; {host=b} 2"},
		{"numeric multi", data.Frames{
			data.NewFrame("", data.NewField("cpu", data.Labels{"host": "a"}, []float64{1})),
			data.NewFrame("", data.NewField("cpu", data.Labels{"host": "b"}, []float64{2})),
		}, "{host=a} 1; {host=b} 2"},
		{"labels of row and field", data.Frames{data.NewFrame("",
			data.NewField("host", nil, []string{"a"}), data.NewField("cpu", data.Labels{"dc": "x", "host": "ignored"}, []float64{1}),
		)}, "{dc=x,host=a} 1"},
		{"empty table", data.Frames{data.NewFrame("", data.NewField("host", nil, []string{}))}, ""},
		{"empty frames", data.Frames{data.NewFrame(""), nil}, ""},
		{"no rows", data.Frames{data.NewFrame("", data.NewField("time", nil, []time.Time{}), data.NewField("cpu", data.Labels{"host": "a"}, []float64{}))}, "{host=a} []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, identity(t, test.frames)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnreadable requires that an error names the frame and the shapes that can be read.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	const help = "\nhelp: return a time field with number fields, optionally with string fields that become labels, or a table of string fields and one number field"
	times := data.NewField("time", nil, []time.Time{second(0), second(10)})
	for want, list := range map[string]data.Frames{
		"cannot read frame 1 (logs) of $A: it has no number field" + help: {data.NewFrame(""),
			data.NewFrame("logs", times, data.NewField("line", nil, []string{"a", "b"}))},
		"cannot read frame 0 of $A: it has no number field" + help:                                     {data.NewFrame("", data.NewField("host", nil, []string{"a"}))},
		"cannot read frame 0 of $A: it has 2 rows, and neither a time field nor a string field" + help: {data.NewFrame("", data.NewField("cpu", nil, []float64{1, 2}))},
		`cannot read frame 0 of $A: it has 2 number fields ("cpu", "mem")` + help: {data.NewFrame("",
			data.NewField("host", nil, []string{"a"}), data.NewField("cpu", nil, []float64{1}), data.NewField("mem", nil, []float64{1}))},
		"cannot read frame 0 of $A: frame has different field lengths, field 0 is len 2 but field 1 is len 1": {data.NewFrame("", times, data.NewField("cpu", nil, []float64{1}))},
		"$A has several results with the labels {host=a}\nhelp: add labels that tell them apart": {data.NewFrame("",
			data.NewField("host", nil, []string{"a", "a"}), data.NewField("cpu", nil, []float64{1, 2}))},
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
	series := data.NewFrame("", data.NewField("Time", nil, []time.Time{second(0), second(10)}), data.NewField("E", data.Labels{"host": "a"}, []*float64{new(2.0), nil}))
	series.RefID, series.Meta = "E", &data.FrameMeta{Type: data.FrameTypeTimeSeriesMulti, TypeVersion: data.FrameTypeVersion{0, 1}}
	number := data.NewFrame("", data.NewField("E", data.Labels{"host": "b"}, []*float64{new(10.0)}))
	number.RefID, number.Meta = "E", &data.FrameMeta{Type: data.FrameTypeNumericMulti, TypeVersion: data.FrameTypeVersion{0, 1}}
	if diff := cmp.Diff(data.Frames{series, number}, got, data.FrameTestCompareOptions()...); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
