package frame_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/frame"
)

func write(t testing.TB, f *frame.Frame) []byte {
	t.Helper()
	return testkit.Must(f.MarshalArrow())(t)
}

// everyType is a frame with a plain and a nullable field of every type that Parse
// returns. The tests in testdata/existing/frames have the same for the data package.
func everyType() *frame.Frame {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	object := json.RawMessage(`{"a":[1,null]}`)
	f := frame.New("every type",
		frame.Of("int8", []int8{math.MinInt8, 1}), frame.Of("int8", []*int8{nil, new(int8(math.MaxInt8))}),
		frame.Of("int16", []int16{math.MinInt16, 1}), frame.Of("int16", []*int16{nil, new(int16(math.MaxInt16))}),
		frame.Of("int32", []int32{math.MinInt32, 1}), frame.Of("int32", []*int32{nil, new(int32(math.MaxInt32))}),
		frame.Of("int64", []int64{math.MinInt64, 1}), frame.Of("int64", []*int64{nil, new(int64(math.MaxInt64))}),
		frame.Of("uint8", []uint8{0, math.MaxUint8}), frame.Of("uint8", []*uint8{nil, new(uint8(1))}),
		frame.Of("uint16", []uint16{0, math.MaxUint16}), frame.Of("uint16", []*uint16{nil, new(uint16(1))}),
		frame.Of("uint32", []uint32{0, math.MaxUint32}), frame.Of("uint32", []*uint32{nil, new(uint32(1))}),
		frame.Of("uint64", []uint64{0, math.MaxUint64}), frame.Of("uint64", []*uint64{nil, new(uint64(1))}),
		frame.Of("float32", []float32{-0.5, float32(math.Inf(1))}), frame.Of("float32", []*float32{nil, new(float32(1e-40))}),
		frame.Of("float64", []float64{math.MaxFloat64, math.Inf(-1)}), frame.Of("float64", []*float64{nil, new(5e-324)}),
		frame.Of("string", []string{"", "é\x00"}), frame.Of("string", []*string{new("a"), nil}),
		frame.Of("bool", []bool{true, false}), frame.Of("bool", []*bool{nil, new(true)}),
		frame.Of("time", []time.Time{at, time.Unix(0, math.MinInt64).UTC()}), frame.Of("time", []*time.Time{nil, &at}),
		frame.Of("json", []json.RawMessage{object, json.RawMessage("1")}), frame.Of("json", []*json.RawMessage{nil, &object}),
		frame.Of("enum", []frame.Enum{1, 0}).Texts("x", "y"), frame.Of("enum", []*frame.Enum{nil, new(frame.Enum(1))}).Label("host", "a"),
	)
	f.RefID = "A"
	f.Meta = &frame.Meta{Type: frame.Table, TypeVersion: [2]uint{0, 1}, Notices: []frame.Notice{{Severity: frame.SeverityInfo, Text: "n"}}}
	return f
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, want := range []*frame.Frame{everyType(), {}, frame.New("no rows", frame.Of[string]("s", nil), frame.Of[*bool]("b", nil))} {
		file := write(t, want)
		got, err := frame.Parse(file)
		if err != nil {
			t.Fatalf("%q: %v", want.Name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: Parse returned another frame (-want +got):\n%s", want.Name, diff)
		}
		if again := write(t, got); !bytes.Equal(again, file) {
			t.Errorf("%q: the parsed frame is written differently", want.Name)
		}
	}
}

// An int is written as an int64.
func TestParseInt(t *testing.T) {
	t.Parallel()
	f := testkit.Must(frame.Parse(write(t, frame.New("f", frame.Of("n", []int{1})))))(t)
	if _, ok := f.Fields[0].(*frame.Column[int64]); !ok {
		t.Errorf("int was read as %T", f.Fields[0])
	}
}

// Keys without a field are kept at any depth.
func TestUnknownMetadata(t *testing.T) {
	t.Parallel()
	const text = `{"custom":{"a":1},"links":[{"title":"t","internal":{"panelsState":{}}}],"mappings":[{"options":{},"type":"regex"}],"thresholds":{"mode":"absolute"},"unit":"ms"}`
	var c frame.Config
	testkit.OK(t, json.Unmarshal([]byte(text), &c))
	if c.Unit != "ms" || c.Links[0].Title != "t" || len(c.Other) != 3 {
		t.Errorf("unit %q, links %v and %d other values, want \"ms\", one link and 3", c.Unit, c.Links, len(c.Other))
	}
	if again, err := json.Marshal(c); err != nil || string(again) != text {
		t.Errorf("got %s, %v, want %s", again, err, text)
	}
	var m frame.Meta
	testkit.OK(t, json.Unmarshal([]byte(`{"typeVersion":[0,1],"notices":[{"severity":"info","text":"x","inspect":1}]}`), &m))
	if len(m.Notices) != 1 || m.TypeVersion != [2]uint{0, 1} || string(m.Other["notices"].(json.RawMessage)) != `[{"severity":"info","text":"x","inspect":1}]` {
		t.Errorf("%+v", m)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	good := write(t, frame.New("f", frame.Of("v", []float64{1})))
	badLabels := bytes.ReplaceAll(good, []byte("tstype"), []byte("labels"))
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":     {nil, "not an Arrow file"},
		"text":      {[]byte("ARROW1 is how such a file starts"), "not an Arrow file"},
		"no footer": {[]byte("ARROW1\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ARROW1"), "invalid footer of 0 bytes"},
		"cut":       {append(slices.Clone(good[:len(good)/2]), good[len(good)-10:]...), ""},
		"labels":    {badLabels, `field 0 "v": labels: invalid character`},
		"config": {write(t, frame.New("f", frame.Of("v", []bool{}).Configure(frame.Config{Other: map[string]any{"noValue": 7}}))),
			`field 0 "v": config: noValue has the wrong type, number`},
		"another key of the config": {write(t, frame.New("f", frame.Of("v", []bool{}).Configure(frame.Config{Other: map[string]any{"mappings": 7}}))),
			`field 0 "v": config: mappings has the wrong type, number`},
		"meta": {write(t, &frame.Frame{Meta: &frame.Meta{Notices: []frame.Notice{{Severity: "bad"}}}}), `meta: unknown severity "bad"`},
		"another key of meta": {write(t, &frame.Frame{Meta: &frame.Meta{Other: map[string]any{"stats": []any{map[string]any{"value": "1"}}}}}),
			`meta: stats.value has the wrong type, string`},
		"a notice with another key": {write(t, &frame.Frame{Meta: &frame.Meta{Other: map[string]any{"notices": []any{map[string]any{"severity": "bad", "x": 1}}}}}),
			`meta: unknown severity "bad"`},
		"much metadata": {tablesNamedOften(), "overlap"},
	} {
		f, err := frame.Parse(c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", what, f, err, c.want)
		}
	}
}

// tablesNamedOften returns a file whose vectors contain the same table many times. Reading
// it must not take memory for each.
func tablesNamedOften() []byte {
	const times = 4000
	b := flatbuffers.NewBuilder(1024)
	list := func(of flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, times, 4)
		for range times {
			b.PrependUOffsetT(of)
		}
		return b.EndVector(times)
	}
	table := func(fields int, fill func()) flatbuffers.UOffsetT {
		b.StartObject(fields)
		fill()
		return b.EndObject()
	}
	metadata := list(table(2, func() {}))
	boolean := table(1, func() {})
	fields := list(table(7, func() {
		b.PrependByteSlot(2, 6, 0)
		b.PrependUOffsetTSlot(3, boolean, 0)
		b.PrependUOffsetTSlot(6, metadata, 0)
	}))
	schema := table(4, func() { b.PrependUOffsetTSlot(1, fields, 0) })
	b.Finish(table(5, func() {
		b.PrependInt16Slot(0, 4, 0)
		b.PrependUOffsetTSlot(1, schema, 0)
	}))
	footer := b.FinishedBytes()
	file := binary.LittleEndian.AppendUint32(append([]byte("ARROW1\x00\x00"), footer...), uint32(len(footer)))
	return append(file, "ARROW1"...)
}

// A value that is not JSON becomes null, so that the frame can be written again.
func TestParseInvalidJSON(t *testing.T) {
	t.Parallel()
	file := write(t, frame.New("f", frame.Of("plain", []json.RawMessage{json.RawMessage("[12]"), nil}), frame.Of("nullable", []*json.RawMessage{nil, new(json.RawMessage("[12]"))})))
	f := testkit.Must(frame.Parse(bytes.ReplaceAll(file, []byte("[12]"), []byte("[12}"))))(t)
	want := frame.New("f", frame.Of("plain", []json.RawMessage{json.RawMessage("null"), json.RawMessage("null")}), frame.Of("nullable", []*json.RawMessage{nil, new(json.RawMessage("null"))}))
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Parse returns a frame that can be written again, or an error.
func FuzzParse(f *testing.F) {
	f.Add(write(f, everyType()))
	f.Add(write(f, frame.New("no rows", frame.Of[string]("s", nil), frame.Of[*bool]("b", nil))))
	f.Add(tablesNamedOften())
	small := write(f, frame.New("s", frame.Of("t", []time.Time{time.Unix(1, 2)}), frame.Of("v", []*string{nil})))
	for n := 0; n < len(small); n += 13 {
		f.Add(small[:n])
		damaged := slices.Clone(small)
		damaged[n] ^= 0xff
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		fr, err := frame.Parse(file)
		if err != nil {
			return
		}
		for _, field := range fr.Fields {
			if field.Len() != fr.Fields[0].Len() {
				t.Errorf("fields have %d and %d rows", field.Len(), fr.Fields[0].Len())
			}
		}
		if _, err := frame.Parse(frame.FillRefID(file, "A")); err != nil {
			t.Errorf("FillRefID damaged the file: %v", err)
		}
		if text, err := fr.MarshalJSON(); err != nil || !json.Valid(text) {
			t.Errorf("%v in %s", err, text)
		}
		again := testkit.Must(fr.MarshalArrow())(t)
		if _, err := frame.Parse(again); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}

// A frame with too many values is refused before they are allocated. The test is not parallel
// because it reads what all tests allocate.
func TestParseAtMost(t *testing.T) {
	file := write(t, frame.New("f", frame.Of("a", make([]bool, 1<<20)), frame.Of("b", make([]bool, 1<<20))))
	if f, err := frame.ParseAtMost(file, 2<<20); err != nil || f.Fields[1].Len() != 1<<20 {
		t.Errorf("as many values as allowed: %v", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := frame.ParseAtMost(file, 2<<20-1)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, frame.ErrTooLarge) {
		t.Errorf("one value too many: %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<16 {
		t.Errorf("the refusal took %d bytes", n)
	}
}
