package frames_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frames"
)

// fieldTypes lists every type a field can have, nullable and not.
func fieldTypes() (all []data.FieldType) {
	for t := data.FieldTypeUnknown + 1; t <= data.FieldTypeNullableEnum; t++ {
		all = append(all, t)
	}
	return all
}

// set puts a random value into a row; every fifth one of a nullable field stays null.
func set(f *data.Field, row int, r *rand.Rand) {
	if f.Type().Nullable() && r.IntN(5) == 0 {
		return
	}
	n := r.Uint64()
	switch f.Type().NonNullableType() {
	case data.FieldTypeInt8:
		f.SetConcrete(row, int8(n))
	case data.FieldTypeInt16:
		f.SetConcrete(row, int16(n))
	case data.FieldTypeInt32:
		f.SetConcrete(row, int32(n))
	case data.FieldTypeInt64:
		f.SetConcrete(row, int64(n))
	case data.FieldTypeUint8:
		f.SetConcrete(row, uint8(n))
	case data.FieldTypeUint16:
		f.SetConcrete(row, uint16(n))
	case data.FieldTypeUint32:
		f.SetConcrete(row, uint32(n))
	case data.FieldTypeUint64:
		f.SetConcrete(row, n)
	case data.FieldTypeFloat32:
		f.SetConcrete(row, float32(float(r)))
	case data.FieldTypeFloat64:
		f.SetConcrete(row, float(r))
	case data.FieldTypeString:
		f.SetConcrete(row, []string{"", "plain", "é\"\\\n", "\u2028😀", strings.Repeat("long ", 100)}[r.IntN(5)])
	case data.FieldTypeBool:
		f.SetConcrete(row, n%2 == 0)
	case data.FieldTypeTime:
		f.SetConcrete(row, time.Unix(int64(r.IntN(4e9))-1e9, int64(r.IntN(1e9))).UTC())
	case data.FieldTypeJSON:
		f.SetConcrete(row, json.RawMessage([]string{`{"a":[1,null]}`, `"text"`, `12.5`, `[]`}[r.IntN(4)]))
	case data.FieldTypeEnum:
		f.SetConcrete(row, data.EnumItemIndex(r.IntN(3)))
	}
}

func float(r *rand.Rand) float64 {
	switch r.IntN(6) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	case 2:
		return math.Inf(-1)
	}
	return r.NormFloat64() * math.Pow(10, float64(r.IntN(30)))
}

// randomFrame has a field of every type, with the number of rows.
func randomFrame(rows int, r *rand.Rand) *data.Frame {
	f := data.NewFrame("all")
	f.RefID = "A"
	f.Meta = &data.FrameMeta{ExecutedQueryString: "SELECT <1>", Custom: map[string]any{"k": "v"}}
	for _, kind := range fieldTypes() {
		field := data.NewFieldFromFieldType(kind, rows)
		field.Name = fmt.Sprint(kind)
		field.Labels = data.Labels{"host": "a\"b", "é": ""}
		field.Config = &data.FieldConfig{DisplayName: "D", Unit: "ms"}
		if kind.NonNullableType() == data.FieldTypeEnum {
			field.Config.TypeConfig = &data.FieldTypeConfig{Enum: &data.EnumFieldConfig{Text: []string{"x", "y", "z"}}}
		}
		if kind == data.FieldTypeJSON { // the zero value is no JSON
			for row := range rows {
				field.Set(row, json.RawMessage("null"))
			}
		}
		for row := range rows {
			set(field, row, r)
		}
		f.Fields = append(f.Fields, field)
	}
	return f
}

func same(t *testing.T, what string, got, want *data.Frame) {
	t.Helper()
	if diff := cmp.Diff(want, got, data.FrameTestCompareOptions()...); diff != "" {
		t.Errorf("%s is not what was written:\n%s", what, diff)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := randomFrame([]int{0, 1, 2, 7, 30}[seed%5], r)
		arrow, err := f.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		got, err := frames.FromArrow(arrow)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "Arrow", got, f)
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = frames.FromJSON(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		same(t, "JSON", got, f)
	}
}

// A file may hold its rows in several record batches.
func TestSeveralRecords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	f := randomFrame(10, r)
	table, err := data.FrameToArrowTable(f)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	records := array.NewTableReader(table, 3)
	defer records.Release()
	var file writer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(table.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	batches := 0
	for ; records.Next(); batches++ {
		if err := w.Write(records.RecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || batches != 4 {
		t.Fatalf("%d batches, %v", batches, err)
	}
	got, err := frames.FromArrow(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a file of four records", got, f)
}

// writer is a buffer with the position that the Arrow writer asks for.
type writer struct{ bytes.Buffer }

// Seek only tells the position.
func (w *writer) Seek(int64, int) (int64, error) { return int64(w.Len()), nil }

// What takes the reader of the data package down, or is read as something else.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	frame := func(kind, data string) string {
		return fmt.Sprintf(`{"schema":{"fields":[{"name":"f","typeInfo":{"frame":%q}}]},"data":%s}`, kind, data)
	}
	for text, want := range map[string]string{
		``:               "unexpected end",
		`{}`:             `it has no "schema"`,
		`null`:           `it has no "schema"`,
		`{"schema":null`: "unexpected end",
		frame("time.Time", `{"nanos":[[1]],"values":[[1]]}`):               "",
		frame("int64", `{"values":[[1],[2]]}`):                             "1 fields, but values for 2",
		frame("bool", `{"values":[[1]]}`):                                  `field 0 "f": json: cannot unmarshal number`,
		frame("float64", `{"values":[[1]],"entities":[{"NaN":[7]}]}`):      "an entity is in row 7",
		frame("float64", `{"values":[[1]],"entities":[{"NaN":[-1]}]}`):     "an entity is in row -1",
		frame("float64", `{"values":[[1]],"entities":[null,{"NaN":[0]}]}`): "entities for 2",
		frame("string", `{"values":[["x"]],"entities":[{"NaN":[0]}]}`):     "it has entities",
		frame("string", `{"values":[["x"]],"nanos":[[1]]}`):                "it has nanos",
		frame("unheard", `{"values":[[1]]}`):                               `type "unheard" is not known`,
		frame("", `{"values":[[1]]}`):                                      `type "" is not known`,
		frame("uint8", `{"values":[[300]]}`):                               "cannot unmarshal number 300",
		frame("uint8", `{"values":[[-1]]}`):                                "cannot unmarshal number -1",
		frame("int32", `{"values":[[1.5]]}`):                               "cannot unmarshal number 1.5",
		frame("int64", `{"values":[["9223372036854775808"]]}`):             "row 0",
		frame("int64", `{"values":[["7"]]}`):                               "",
		frame("uint64", `{"values":[[18446744073709551615]]}`):             "",
		frame("float32", `{"values":[[1e40]]}`):                            "cannot unmarshal number 1e40",
		frame("int8", `{"values":[[1,null]]}`):                             "row 1 is null",
		frame("int8", `{"values":{}}`):                                     "cannot unmarshal object",
		frame("int8", `{"values":[{}]}`):                                   "cannot unmarshal object",
		frame("time.Time", `{"values":[[1e300]]}`):                         "row 0",
		frame("enum", `{"values":[[70000]]}`):                              "cannot unmarshal number 70000",
		frame("json.RawMessage", `{"values":[[{"a":1},null,"x"]]}`):        "",
		frame("json.RawMessage", `null`):                                   "",
		`{"schema":{"fields":[{"typeInfo":{"frame":"int8"}},{"typeInfo":{"frame":"int8"}}]},"data":{"values":[[1],[1,2]]}}`: "field",
	} {
		f, err := frames.FromJSON([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v; want %q", text, f, err, want)
		}
	}
}

func TestFromResponse(t *testing.T) {
	t.Parallel()
	f := randomFrame(1, rand.New(rand.NewPCG(1, 1)))
	arrow, err := f.MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	list, err := frames.FromResponse(sdk.DataResponse{Frames: []sdk.Frame{f, sdk.ArrowFrame(arrow)}})
	if err != nil || list[0] != f {
		t.Fatal(err)
	}
	same(t, "the second", list[1], f)
	if _, err := frames.FromResponse(sdk.DataResponse{Frames: []sdk.Frame{f, sdk.ArrowFrame("ARROW1")}}); err == nil || !strings.Contains(err.Error(), "frame 1") {
		t.Errorf("%v", err)
	}
}

func FuzzFromArrow(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 5} {
		arrow, err := randomFrame(rows, r).MarshalArrow()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(arrow)
	}
	small, err := data.NewFrame("s", data.NewField("t", nil, []time.Time{time.Unix(1, 2)}), data.NewField("v", nil, []float64{1})).MarshalArrow()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	for n := 0; n < len(small); n += 37 {
		f.Add(small[:n])
		damaged := slices.Clone(small)
		damaged[n] ^= 0xff
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		frame, err := frames.FromArrow(file)
		if err != nil {
			return
		}
		if _, err := frame.RowLen(); err != nil {
			return
		}
		if _, err := json.Marshal(frame); err != nil {
			t.Logf("it cannot be written as JSON: %v", err)
		}
	})
}

func FuzzFromJSON(f *testing.F) {
	for _, rows := range []int{0, 1, 3} {
		text, err := json.Marshal(randomFrame(rows, rand.New(rand.NewPCG(5, 6))))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"schema":{"name":"n","refId":"A","meta":{"type":"timeseries-multi"},"fields":[{"name":"f","typeInfo":{"frame":"float64","nullable":true}}]},"data":{"values":[[1,null]],"entities":[{"NaN":[1]}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		frame, err := frames.FromJSON(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(frame)
		if err != nil {
			t.Skip("it cannot be written again, which is up to the data package: ", err)
		}
		if _, err := frames.FromJSON(again); err != nil {
			t.Errorf("%v\n%s\n%s", err, text, again)
		}
	})
}

// The lists of a file may all name the same table. Reading it must not multiply them.
func TestTablesThatAreNamedOften(t *testing.T) {
	t.Parallel()
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
	if f, err := frames.FromArrow(append(file, "ARROW1"...)); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("%v, %v", f, err)
	}
}
