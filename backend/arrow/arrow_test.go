package arrow_test

import (
	"bytes"
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
	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/backend/arrow"
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
		file, err := f.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		got, err := arrow.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "Arrow", got, f)
		text, err := arrow.ToJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		var again data.Frame
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		same(t, "JSON", &again, f)
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
	got, err := arrow.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a file of four records", got, f)
}

// writer is a buffer with the position that the Arrow writer asks for.
type writer struct{ bytes.Buffer }

// Seek only tells the position.
func (w *writer) Seek(int64, int) (int64, error) { return int64(w.Len()), nil }

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 5} {
		file, err := randomFrame(rows, r).MarshalArrow()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
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
		frame, err := arrow.Decode(file)
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
