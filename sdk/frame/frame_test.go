package frame_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/frame"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	price, sold := frame.Of[float64]("price", nil), frame.Of[*int64]("sold", nil)
	f := frame.New("sales", price, sold)
	price.Append(1.5)
	sold.Append(nil)
	price.Append(2, 3)
	sold.Append(new(int64(4)), new(int64(5)))
	got := testkit.Must(frame.Parse(write(t, f)))(t)
	want := frame.New("sales", frame.Of("price", []float64{1.5, 2, 3}), frame.Of("sold", []*int64{nil, new(int64(4)), new(int64(5))}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Fields[0].Len() != 3 || f.Fields[0].Head().Name != "price" {
		t.Errorf("%d rows of %q", f.Fields[0].Len(), f.Fields[0].Head().Name)
	}
}

// Methods of a column do not change labels and config that columns share.
func TestSharedHeaders(t *testing.T) {
	t.Parallel()
	labels, config := map[string]string{"a": "1"}, &frame.Config{Description: "d"}
	c := frame.Of("x", []bool{true})
	c.Labels, c.Config = labels, config
	c.Label("b", "2").Unit("s").Texts("t")
	if diff := cmp.Diff(frame.Header{Labels: map[string]string{"a": "1"}, Config: &frame.Config{Description: "d"}}, frame.Header{Labels: labels, Config: config}); diff != "" {
		t.Errorf("the shared labels or config changed:\n%s", diff)
	}
	want := frame.Header{
		Name: "x", Labels: map[string]string{"a": "1", "b": "2"},
		Config: &frame.Config{Description: "d", Unit: "s", Type: &frame.TypeConfig{Enum: &frame.EnumConfig{Text: []string{"t"}}}},
	}
	if diff := cmp.Diff(want, c.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	var none *frame.Column[string]
	const arrowOnly = "JSON takes it"
	for name, c := range map[string]struct {
		frame       *frame.Frame
		arrow, json string
	}{
		"nil field":  {frame.New("f", frame.Of("a", []bool{}), nil), "field 1 is nil", ""},
		"nil column": {frame.New("f", none), "field 0 is nil", ""},
		"lengths": {frame.New("f", frame.Of("a", []bool{true}), frame.Of("b", []int8{1, 2})),
			`fields differ in length: "a" has length 1, "b" has length 2`, ""},
		"json":           {frame.New("f", frame.Of("j", []json.RawMessage{nil, json.RawMessage("{")})), `field 0 "j": row 1: invalid JSON`, ""},
		"empty json":     {frame.New("f", frame.Of("j", []json.RawMessage{{}})), `field 0 "j": row 0: invalid JSON`, ""},
		"nullable json":  {frame.New("f", frame.Of("j", []*json.RawMessage{nil, new(json.RawMessage("x"))})), `field 0 "j": row 1: invalid JSON`, ""},
		"zero time":      {frame.New("f", frame.Of("t", []time.Time{time.Now(), {}})), `field 0 "t": row 1: time 0001-01-01T00:00:00Z is out of range`, arrowOnly},
		"just too early": {frame.New("f", frame.Of("t", []time.Time{time.Unix(0, math.MinInt64).Add(-1)})), `row 0: time 1677-09-21`, arrowOnly},
		"just too late":  {frame.New("f", frame.Of("t", []*time.Time{new(time.Unix(0, math.MaxInt64).Add(1))})), `row 0: time 2262-04-11`, arrowOnly},
		"far":            {frame.New("f", frame.Of("t", []time.Time{time.Unix(math.MaxInt64, 0)})), `row 0: time`, arrowOnly},
		"config":         {frame.New("f", frame.Of("x", []bool{}).Configure(frame.Config{Min: new(math.NaN())})), `field 0 "x": config: `, "NaN"},
		"other":          {frame.New("f", frame.Of("x", []bool{}).Configure(frame.Config{Other: map[string]any{"f": func() {}}})), `field 0 "x": config: `, "unsupported type"},
		"meta":           {&frame.Frame{Name: "f", Meta: &frame.Meta{Custom: make(chan int)}}, `meta: `, "unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.frame.MarshalArrow()
			if err == nil || !strings.Contains(err.Error(), `encode frame "f" as Arrow: `) || !strings.Contains(err.Error(), c.arrow) {
				t.Errorf("Arrow: %v, want %q", err, c.arrow)
			}
			if c.json == "" {
				c.json = c.arrow
			}
			_, err = json.Marshal(c.frame)
			if c.json == arrowOnly {
				if err != nil {
					t.Errorf("JSON: %v", err)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.json) {
				t.Errorf("JSON: %v, want %q", err, c.json)
			}
		})
	}
	if _, err := (*frame.Frame)(nil).MarshalArrow(); err == nil {
		t.Error("a nil frame was written")
	}
}

// A Frame and a *Frame have the same JSON.
func TestJSONOfValue(t *testing.T) {
	t.Parallel()
	f := frame.New("f", frame.Of("x", []int{1}))
	of := testkit.Must(json.Marshal(map[string]any{"pointer": f, "value": *f}))(t)
	var both map[string]any
	testkit.OK(t, json.Unmarshal(of, &both))
	if diff := cmp.Diff(both["pointer"], both["value"]); diff != "" {
		t.Error(diff)
	}
}

// MarshalArrow returns a file that Parse can read, or an error.
func FuzzMarshal(f *testing.F) {
	f.Add("name", "é\xff", []byte("[1]"), int64(1), int64(-2), 1.5, uint8(3))
	f.Add("", "", []byte(nil), int64(math.MinInt64), int64(math.MaxInt64), math.NaN(), uint8(0))
	f.Add("<&>", "\x00", []byte("{"), int64(9223372036), int64(854775808), math.Inf(-1), uint8(255))
	f.Fuzz(func(t *testing.T, name, value string, message []byte, seconds, nanos int64, number float64, rows uint8) {
		values, messages, times, numbers := []string{}, []*json.RawMessage{}, []time.Time{}, []*float32{}
		for row := range rows {
			values = append(values, strings.Repeat(value, int(row%3)))
			messages = append(messages, nil)
			times = append(times, time.Unix(seconds, nanos))
			numbers = append(numbers, new(float32(number)))
			if row%2 == 0 {
				messages[row], numbers[row] = (*json.RawMessage)(&message), nil
			}
		}
		fr := frame.New(name, frame.Of(name, values).Label(value, name).Unit(value), frame.Of(value, messages), frame.Of("t", times),
			frame.Of("n", numbers).Configure(frame.Config{Max: &number, Other: map[string]any{"other" + name: value}}))
		fr.Meta = &frame.Meta{Type: frame.Type(value), Custom: json.RawMessage(message)}
		if file, err := fr.MarshalArrow(); err == nil {
			if got, err := frame.Parse(file); err != nil {
				t.Errorf("%v", err)
			} else if n := got.Fields[0].Len(); n != int(rows) {
				t.Errorf("got %d rows, want %d", n, rows)
			}
		}
		if text, err := json.Marshal(fr); err == nil && !json.Valid(text) {
			t.Errorf("invalid JSON: %s", text)
		}
	})
}
