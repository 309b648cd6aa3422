package frame_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk/frame"
)

func wantParsed(t *testing.T, what string, file []byte, want *frame.Frame) *frame.Frame {
	t.Helper()
	got, err := frame.Parse(file)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	gotText, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	wantText, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, wantText), decode(t, gotText), cmp.Comparer(sameNumber)); diff != "" {
		t.Errorf("%s: Parse returned another frame (-want +got):\n%s", what, diff)
	}
	return got
}

// JSON of every type has all values and all metadata, so equal JSON means equal frames.
func TestParse(t *testing.T) {
	t.Parallel()
	for seed := range uint64(15) {
		twins := makeTwins([]int{0, 1, 7, 8, 40}[seed%5], seed)
		ours, err := twins.ours.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := twins.theirs.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		got := wantParsed(t, "a frame of this package", ours, twins.ours)
		wantParsed(t, "a frame of the data package", theirs, twins.ours)
		if again, err := got.MarshalArrow(); err != nil || !bytes.Equal(again, ours) {
			t.Errorf("the parsed frame is written differently, %v", err)
		}
	}
}

func TestParsedTypes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	file, err := frame.New("f", frame.Of("time", []time.Time{at}), frame.Of("n", []*int{nil}), frame.Of("e", []frame.Enum{1})).MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{[]time.Time{at}, []*int64{nil}, []frame.Enum{1}}
	got := []any{f.Fields[0].(*frame.Column[time.Time]).Values, f.Fields[1].(*frame.Column[*int64]).Values, f.Fields[2].(*frame.Column[frame.Enum]).Values}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What Config and Meta have no field for is kept, also deep inside.
func TestUnknownMetadata(t *testing.T) {
	t.Parallel()
	const text = `{"custom":{"a":1},"links":[{"title":"t","internal":{"panelsState":{}}}],"noValue":7,"thresholds":{"mode":"absolute"},"unit":"ms"}`
	var c frame.Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if c.Unit != "ms" || len(c.Other) != 3 {
		t.Errorf("unit %q and %d other values, want \"ms\" and 3", c.Unit, len(c.Other))
	}
	if again, err := json.Marshal(c); err != nil || string(again) != text {
		t.Errorf("got %s, %v, want %s", again, err, text)
	}
	var m frame.Meta
	if err := json.Unmarshal([]byte(`{"typeVersion":[0,1],"notices":[{"severity":"info","text":"x","inspect":1}]}`), &m); err != nil {
		t.Fatal(err)
	}
	if m.Notices != nil || m.TypeVersion != [2]uint{0, 1} || string(m.Other["notices"].(json.RawMessage)) != `[{"severity":"info","text":"x","inspect":1}]` {
		t.Errorf("%+v", m)
	}
}

// severalRecords is a frame of the data package in a file of four record batches.
func severalRecords(t testing.TB) (*twins, []byte) {
	twins := makeTwins(10, 1)
	table, err := data.FrameToArrowTable(twins.theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	records := array.NewTableReader(table, 3)
	defer records.Release()
	var file seekableBuffer
	w, err := ipc.NewFileWriter(&file, ipc.WithSchema(table.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	for records.Next() {
		if err := w.Write(records.RecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return twins, file.Bytes()
}

// seekableBuffer is a buffer with the position that the Arrow writer asks for.
type seekableBuffer struct{ bytes.Buffer }

// Seek returns the position.
func (b *seekableBuffer) Seek(int64, int) (int64, error) { return int64(b.Len()), nil }

func TestSeveralRecords(t *testing.T) {
	t.Parallel()
	twins, file := severalRecords(t)
	wantParsed(t, "four record batches", file, twins.ours)
}

func TestFillRefID(t *testing.T) {
	t.Parallel()
	twins, file := severalRecords(t)
	if again := frame.FillRefID(file, "B"); &again[0] != &file[0] {
		t.Error("a file with a RefID was copied")
	}
	twins.theirs.RefID, twins.ours.RefID = "", "größe 2"
	file, err := twins.theirs.MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	filled := frame.FillRefID(file, "größe 2")
	wantParsed(t, "filled", filled, twins.ours)
	twins.theirs.RefID = "größe 2"
	got, err := data.UnmarshalArrowFrame(filled)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "data.UnmarshalArrowFrame", got, twins.theirs)
	for _, bad := range []string{"", "text", "ARROW1", "ARROW1\x00\x00\xff\xff\xff\x00\x00\x00ARROW1"} {
		if got := frame.FillRefID([]byte(bad), "A"); string(got) != bad {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	good, err := frame.New("f", frame.Of("v", []float64{1})).MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	badLabels, err := data.NewFrame("f", data.NewField("v", nil, []int8{1})).MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	badLabels = bytes.Replace(badLabels, []byte("tstype"), []byte("labels"), -1)
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"empty":         {nil, "not an Arrow file"},
		"text":          {[]byte("ARROW1 is how such a file starts"), "not an Arrow file"},
		"no footer":     {[]byte("ARROW1\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00ARROW1"), "invalid footer of 0 bytes"},
		"cut":           {append(slices.Clone(good[:len(good)/2]), good[len(good)-10:]...), ""},
		"labels":        {badLabels, `field 0 "v": labels: invalid character`},
		"much metadata": {tablesNamedOften(), "overlap"},
	} {
		f, err := frame.Parse(c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", what, f, err, c.want)
		}
	}
}

// tablesNamedOften is a file whose lists name the same table again and again.
// Reading it must not multiply them.
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

// Parse returns a frame that can be written again, or an error, and agrees with the
// reader of the data package, which existing hosts use.
func FuzzParse(f *testing.F) {
	for _, rows := range []int{0, 1, 5} {
		file, err := makeTwins(rows, 3).ours.MarshalArrow()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	_, several := severalRecords(f)
	f.Add(several)
	f.Add(tablesNamedOften())
	small, err := frame.New("s", frame.Of("t", []time.Time{time.Unix(1, 2)}), frame.Of("v", []*string{nil})).MarshalArrow()
	if err != nil {
		f.Fatal(err)
	}
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
		again, err := fr.MarshalArrow()
		if err != nil {
			return // JSON in it is not valid
		}
		if _, err := frame.Parse(again); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}
