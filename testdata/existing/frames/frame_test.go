package frames

import (
	"bytes"
	"context"
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

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/frame"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// twins are the same frame in package frame and in the data package.
type twins struct {
	ours   *frame.Frame
	theirs *data.Frame
	rows   int
	r      *rand.Rand
}

// of returns a field with the config and labels of all test fields.
func of[T frame.Value](name string, values []T) frame.Field {
	return frame.Of(name, values).Configure(frame.Config{FromSource: "<D>", Decimals: new(uint16(2)), Min: new(-1e6)}).
		Unit("ms").Texts("x", "y", "z").Label("host", "a\"b").Label("é", "")
}

// add adds a field of values and a nullable one, in which every fifth is null. D is T,
// or what the data package has instead.
func add[T, D any](t *twins, value func() T, plain func(string, []T) frame.Field, nullable func(string, []*T) frame.Field, convert func(T) D) {
	values, pointers := make([]T, t.rows), make([]*T, t.rows)
	theirs, theirPointers := make([]D, t.rows), make([]*D, t.rows)
	for row := range values {
		values[row] = value()
		theirs[row] = convert(values[row])
		if t.r.IntN(5) > 0 {
			v := value()
			pointers[row], theirPointers[row] = &v, new(convert(v))
		}
	}
	name := fmt.Sprintf("%T <&>", *new(T))
	t.ours.Fields = append(t.ours.Fields, plain(name, values), nullable(name, pointers))
	for _, field := range []*data.Field{data.NewField(name, nil, theirs), data.NewField(name, nil, theirPointers)} {
		field.Labels = data.Labels{"host": "a\"b", "é": ""}
		field.Config = (&data.FieldConfig{DisplayNameFromDS: "<D>", Unit: "ms"}).SetDecimals(2).SetMin(-1e6)
		field.Config.TypeConfig = &data.FieldTypeConfig{Enum: &data.EnumFieldConfig{Text: []string{"x", "y", "z"}}}
		t.theirs.Fields = append(t.theirs.Fields, field)
	}
}

func same[T any](v T) T { return v }

// makeTwins returns random frames with fields of every type.
func makeTwins(rows int, seed uint64) *twins {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &twins{ours: frame.New("all"), theirs: data.NewFrame("all"), rows: rows, r: r}
	t.ours.RefID, t.theirs.RefID = "A", "A"
	t.ours.Meta = &frame.Meta{
		Type: frame.TimeSeriesWide, TypeVersion: [2]uint{0, 1}, ExecutedQueryString: "SELECT <1>",
		Notices: []frame.Notice{{Text: "n"}, {Severity: frame.SeverityError, Text: "e", Link: "/l"}},
		Custom:  map[string]any{"k": "v"}, PreferredVisualization: "logs", Other: map[string]any{"path": "/p"},
	}
	t.theirs.Meta = &data.FrameMeta{
		Type: data.FrameTypeTimeSeriesWide, TypeVersion: data.FrameTypeVersion{0, 1}, ExecutedQueryString: "SELECT <1>",
		Notices: []data.Notice{{Text: "n"}, {Severity: data.NoticeSeverityError, Text: "e", Link: "/l"}},
		Custom:  map[string]any{"k": "v"}, PreferredVisualization: data.VisTypeLogs, Path: "/p",
	}
	float := func() float64 {
		list := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, 5e-324, 1e21, 1e-7}
		if n := r.IntN(2 * len(list)); n < len(list) {
			return list[n]
		}
		return r.NormFloat64() * math.Pow(10, float64(r.IntN(30)))
	}
	add(t, func() int8 { return int8(r.Uint64()) }, of[int8], of[*int8], same)
	add(t, func() int16 { return int16(r.Uint64()) }, of[int16], of[*int16], same)
	add(t, func() int32 { return int32(r.Uint64()) }, of[int32], of[*int32], same)
	add(t, func() int64 { return int64(r.Uint64()) }, of[int64], of[*int64], same)
	add(t, func() int { return int(r.Uint64()) }, of[int], of[*int], func(v int) int64 { return int64(v) })
	add(t, func() uint8 { return uint8(r.Uint64()) }, of[uint8], of[*uint8], same)
	add(t, func() uint16 { return uint16(r.Uint64()) }, of[uint16], of[*uint16], same)
	add(t, func() uint32 { return uint32(r.Uint64()) }, of[uint32], of[*uint32], same)
	add(t, func() uint64 { return r.Uint64() }, of[uint64], of[*uint64], same)
	add(t, func() float32 { return float32(float()) }, of[float32], of[*float32], same)
	add(t, float, of[float64], of[*float64], same)
	add(t, func() string {
		return []string{"", "plain", "é\"\\\n", "<a&b>", "\x00\x7f", "\u2028😀", strings.Repeat("long ", 100)}[r.IntN(7)]
	}, of[string], of[*string], same)
	add(t, func() bool { return r.IntN(2) == 0 }, of[bool], of[*bool], same)
	add(t, func() time.Time {
		at := time.Unix(r.Int64N(8e9)-4e9, r.Int64N(1e9))
		return []time.Time{at, at.Truncate(time.Millisecond), time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)}[r.IntN(4)].UTC()
	}, of[time.Time], of[*time.Time], same)
	add(t, func() json.RawMessage {
		return json.RawMessage([]string{`{"a":[1,null]}`, `"text"`, `12.5`, `[]`, ` { } `, `"<&>"`}[r.IntN(6)])
	}, of[json.RawMessage], of[*json.RawMessage], same)
	add(t, func() frame.Enum { return frame.Enum(r.IntN(3)) }, of[frame.Enum], of[*frame.Enum],
		func(v frame.Enum) data.EnumItemIndex { return data.EnumItemIndex(v) })
	return t
}

func wantSame(t *testing.T, got, want *data.Frame) {
	t.Helper()
	if diff := cmp.Diff(want, got, data.FrameTestCompareOptions()...); diff != "" {
		t.Errorf("data.UnmarshalArrowFrame returned another frame (-want +got):\n%s", diff)
	}
}

func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// sameNumber compares numbers with a fraction or an exponent by value, since 1e+21 and
// 1e21 are the same.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(string(a)+string(b), ".eE") && a != "-0" && b != "-0" {
		return false
	}
	x, err1 := a.Float64()
	y, err2 := b.Float64()
	return err1 == nil && err2 == nil && x == y
}

// wantHostJSON requires that our host sends the same JSON for a file as existing hosts.
func wantHostJSON(t *testing.T, file []byte) {
	t.Helper()
	want, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, want), decode(t, got), cmp.Comparer(sameNumber)); diff != "" {
		t.Errorf("the JSON differs from that of existing hosts (-want +got):\n%s", diff)
	}
}

// wantAgreement writes both frames, reads them with both packages, and compares.
func wantAgreement(t *testing.T, ours *frame.Frame, theirs *data.Frame) {
	t.Helper()
	file, err := ours.MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	got, err := data.UnmarshalArrowFrame(file)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, got, theirs)
	wantHostJSON(t, file)
	theirFile, err := theirs.MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	wantHostJSON(t, theirFile)
	if _, err := data.ArrowBufferToJSON(file, data.IncludeAll); err != nil {
		t.Errorf("data.ArrowBufferToJSON: %v", err)
	}
	text, err := json.Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	want, err := data.FrameToJSON(theirs, data.IncludeAll)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, want), decode(t, text), cmp.Comparer(sameNumber)); diff != "" {
		t.Errorf("the JSON differs from that of the data package:\n%s\n%s", diff, text)
	}
	if err := json.Unmarshal(text, new(data.Frame)); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(15) {
		twins := makeTwins([]int{0, 1, 7, 8, 40}[seed%5], seed)
		wantAgreement(t, twins.ours, twins.theirs)
	}
}

func TestBareFrames(t *testing.T) {
	t.Parallel()
	wantAgreement(t, &frame.Frame{}, &data.Frame{})
	wantAgreement(t, frame.New("", frame.Of[bool]("", nil)), data.NewFrame("", data.NewField("", nil, []bool{})))
	empty := frame.Of("x", []int64{1})
	empty.Labels, empty.Config = map[string]string{}, &frame.Config{}
	wantAgreement(t, &frame.Frame{Meta: &frame.Meta{}, Fields: []frame.Field{empty}},
		&data.Frame{Meta: &data.FrameMeta{}, Fields: data.Fields{data.NewField("x", data.Labels{}, []int64{1}).SetConfig(&data.FieldConfig{})}})
	noNull, allNull := frame.Of("n", []*string{new("a"), new("")}), frame.Of("a", []*string{nil, nil})
	wantAgreement(t, frame.New("", noNull, allNull), data.NewFrame("",
		data.NewField("n", nil, []*string{new("a"), new("")}), data.NewField("a", nil, []*string{nil, nil})))
}

// A null has no value that could be invalid.
func TestNulls(t *testing.T) {
	t.Parallel()
	at := time.Unix(1, 2).UTC()
	wantAgreement(t, frame.New("", frame.Of("t", []*time.Time{nil, &at}), frame.Of("j", []*json.RawMessage{nil, new(json.RawMessage("1"))})),
		data.NewFrame("", data.NewField("t", nil, []*time.Time{nil, &at}), data.NewField("j", nil, []*json.RawMessage{nil, new(json.RawMessage("1"))})))
}

func TestConfig(t *testing.T) {
	t.Parallel()
	ours := frame.Of("x", []bool{}).Configure(frame.Config{
		DisplayName: "a", FromSource: "b", Description: "c", Unit: "d", Decimals: new(uint16(0)), Min: new(0.0), Max: new(1e100),
		Interval: 1.5, Filterable: new(false), NoValue: "-",
		Links:  []frame.Link{{Title: "t", URL: "/u?a=${__value.raw}&b", TargetBlank: true, Internal: &frame.InternalLink{Query: map[string]any{"q": 1.0}, DataSourceUID: "uid", DataSourceName: "n"}}},
		Type:   &frame.TypeConfig{Enum: &frame.EnumConfig{Text: []string{"t"}, Color: []string{"red"}, Icon: []string{"i"}, Description: []string{"d"}}},
		Custom: map[string]any{"big": json.Number("9007199254740993")},
		Other:  map[string]any{"color": map[string]any{"mode": "fixed"}, "unit": "e", "writeable": true},
	})
	theirs := data.NewField("x", nil, []bool{}).SetConfig(&data.FieldConfig{
		DisplayName: "a", DisplayNameFromDS: "b", Description: "c", Unit: "e", Decimals: new(uint16(0)), Min: new(data.ConfFloat64(0)), Max: new(data.ConfFloat64(1e100)),
		Interval: 1.5, Filterable: new(false), NoValue: "-", Writeable: new(true), Color: map[string]any{"mode": "fixed"},
		Links:      []data.DataLink{{Title: "t", URL: "/u?a=${__value.raw}&b", TargetBlank: true, Internal: &data.InternalDataLink{Query: map[string]any{"q": 1.0}, DatasourceUID: "uid", DatasourceName: "n"}}},
		TypeConfig: &data.FieldTypeConfig{Enum: &data.EnumFieldConfig{Text: []string{"t"}, Color: []string{"red"}, Icon: []string{"i"}, Description: []string{"d"}}},
		Custom:     map[string]any{"big": json.Number("9007199254740993")},
	})
	got, err := json.Marshal(ours.Config)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(theirs.Config)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(decode(t, want), decode(t, got), cmp.Comparer(sameNumber)); diff != "" {
		t.Error(diff)
	}
}

// Invalid UTF-8 is replaced, so that the file is valid Arrow.
func TestInvalidUTF8(t *testing.T) {
	t.Parallel()
	const bad, good = "a\xff\xfeb", "a\uFFFD\uFFFDb"
	f := frame.New(bad, frame.Of(bad, []string{bad, "c"}).Label(bad, bad).Unit(bad), frame.Of("n", []*string{new(bad), nil}))
	f.RefID, f.Meta = bad, &frame.Meta{ExecutedQueryString: bad}
	want := data.NewFrame(good, data.NewField(good, data.Labels{good: good}, []string{good, "c"}).SetConfig(&data.FieldConfig{Unit: good}), data.NewField("n", nil, []*string{new(good), nil}))
	want.RefID, want.Meta = good, &data.FrameMeta{ExecutedQueryString: good}
	wantAgreement(t, f, want)
}

// A nil json.RawMessage is written as null, as encoding/json does.
func TestNilJSON(t *testing.T) {
	t.Parallel()
	wantAgreement(t, frame.New("", frame.Of("j", []json.RawMessage{nil, json.RawMessage("1")})),
		data.NewFrame("", data.NewField("j", nil, []json.RawMessage{json.RawMessage("null"), json.RawMessage("1")})))
}

// Metadata that this module does not use is passed on.
func TestMetadata(t *testing.T) {
	t.Parallel()
	config := &data.FieldConfig{
		Path: "p", Writeable: new(true), Min: new(data.ConfFloat64(math.NaN())), Color: map[string]any{"mode": "fixed"},
		Thresholds: &data.ThresholdsConfig{Mode: data.ThresholdsModeAbsolute, Steps: []data.Threshold{data.NewThreshold(math.Inf(-1), "green", ""), data.NewThreshold(1.5, "red", "s")}},
		Mappings:   data.ValueMappings{data.ValueMapper{"1": {Text: "<one>"}}, data.SpecialValueMapper{Match: data.SpecialValueNull, Result: data.ValueMappingResult{Color: "red"}}},
		Links:      []data.DataLink{{Title: "t", Internal: &data.InternalDataLink{ExplorePanelsState: new(data.ExplorePanelsState(map[string]any{"logs": true})), Transformations: &[]data.LinkTransformationConfig{{Type: data.Regex}}}}},
	}
	f := data.NewFrame("f", data.NewField("v", nil, []int64{1}).SetConfig(config))
	f.Meta = &data.FrameMeta{
		Path: "p", PathSeparator: "/", Stats: []data.QueryStat{{FieldConfig: data.FieldConfig{DisplayName: "rows", Unit: "short"}, Value: 3}},
		Notices:                        []data.Notice{{Severity: data.NoticeSeverityWarning, Text: "n", Inspect: data.InspectTypeStats}},
		PreferredVisualizationPluginID: "acme-panel", Channel: "ds/a/b", DataTopic: data.DataTopicAnnotations, UniqueRowIDFields: []int{0},
	}
	file, err := f.MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	wantHostJSON(t, file)
}

// A value that is not JSON is sent as null.
func TestInvalidJSON(t *testing.T) {
	t.Parallel()
	values := []json.RawMessage{json.RawMessage("[12]"), json.RawMessage("2")}
	file, err := data.NewFrame("f", data.NewField("plain", nil, values), data.NewField("nullable", nil, []*json.RawMessage{nil, &values[0]})).MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	wantHostJSON(t, bytes.ReplaceAll(file, []byte("[12]"), []byte("[12}")))
}

// A file whose metadata the data package rejects is rejected.
func TestInvalidMetadata(t *testing.T) {
	t.Parallel()
	for what, f := range map[string]*frame.Frame{
		"type":     {Meta: &frame.Meta{Other: map[string]any{"type": 1}}},
		"severity": {Meta: &frame.Meta{Notices: []frame.Notice{{Severity: "bad"}}}},
		"unit":     frame.New("", frame.Of[bool]("b", nil).Configure(frame.Config{Other: map[string]any{"unit": 1}})),
		"link":     frame.New("", frame.Of[bool]("b", nil).Configure(frame.Config{Other: map[string]any{"links": []any{map[string]any{"url": 1, "other": 2}}}})),
	} {
		file, err := f.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		_, ours := frame.Parse(file)
		_, theirs := read(file)
		if ours == nil || theirs == nil {
			t.Errorf("%s: %v, and from the data package %v", what, ours, theirs)
		}
	}
}

// Parts of the file start at multiples of 8, which zero-copy readers require.
func TestAlignment(t *testing.T) {
	t.Parallel()
	for names := range 20 {
		f := frame.New(strings.Repeat("n", names), frame.Of(strings.Repeat("f", 2*names), make([]string, names)), frame.Of("b", make([]bool, names)))
		file, err := f.MarshalArrow()
		if err != nil {
			t.Fatal(err)
		}
		if (len(file)-10)%8 != 0 {
			t.Errorf("the file has %d bytes before the end of its footer", len(file)-10)
		}
		if _, err := data.UnmarshalArrowFrame(file); err != nil {
			t.Errorf("%d: %v", names, err)
		}
	}
}

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

// The JSON of a frame has all values and metadata, so that frames with equal JSON are
// equal.
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

// severalRecords returns a file with a frame of the data package in four record batches.
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

func TestSeveralRecords(t *testing.T) {
	t.Parallel()
	twins, file := severalRecords(t)
	wantParsed(t, "four record batches", file, twins.ours)
	wantHostJSON(t, file)
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
	wantSame(t, got, twins.theirs)
	for _, bad := range []string{"", "text", "ARROW1", "ARROW1\x00\x00\xff\xff\xff\x00\x00\x00ARROW1"} {
		if got := frame.FillRefID([]byte(bad), "A"); string(got) != bad {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

// seekableBuffer is a buffer with the position that the Arrow writer requires.
type seekableBuffer struct{ bytes.Buffer }

// Seek returns the position.
func (b *seekableBuffer) Seek(int64, int) (int64, error) { return int64(b.Len()), nil }

// A frame without a RefID gets that of its query, regardless of its package.
func TestRefIDOfFrames(t *testing.T) {
	t.Parallel()
	written, err := data.NewFrame("written").MarshalArrow()
	if err != nil {
		t.Fatal(err)
	}
	k := sdktest.Start(t, sdk.Plugin{QueryData: sdk.EachQuery(func(context.Context, sdk.Query, struct{}) ([]sdk.Frame, error) {
		named := data.NewFrame("named")
		named.RefID = "mine"
		return []sdk.Frame{
			frame.New("ours", frame.Of("x", []int{1})), data.NewFrame("theirs", data.NewField("x", nil, []int64{1})), backend.ArrowFrame(written),
			named, &frame.Frame{Name: "named", RefID: "mine"},
		}, nil
	})})
	var got []string
	for _, f := range sdktest.Frames(t, k.Query(sdk.Query{RefID: "B"})) {
		got = append(got, f.Name+" "+f.RefID)
	}
	if diff := cmp.Diff([]string{"ours B", "theirs B", "written B", "named mine", "named mine"}, got); diff != "" {
		t.Error(diff)
	}
}

// For a file that both packages read, both send the same values.
func FuzzParse(f *testing.F) {
	for _, rows := range []int{0, 1, 5} {
		file, err := makeTwins(rows, 3).theirs.MarshalArrow()
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
	_, several := severalRecords(f)
	f.Add(several)
	for n := 0; n < len(small); n += 37 {
		f.Add(small[:n])
		damaged := slices.Clone(small)
		damaged[n] ^= 0xff
		f.Add(damaged)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		f, err := frame.Parse(file)
		if err != nil {
			return
		}
		got, err := f.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want, err := read(file)
		if err != nil || !json.Valid(want) {
			return
		}
		values := func(text []byte) any { return decode(t, text).(map[string]any)["data"] }
		if diff := cmp.Diff(values(want), values(got), cmp.Comparer(sameNumber)); diff != "" {
			t.Errorf("the values differ (-want +got):\n%s", diff)
		}
	})
}

// read returns the JSON that existing hosts send for a file. The data package panics on some
// damaged files.
func read(file []byte) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	f, err := data.UnmarshalArrowFrame(file)
	if err != nil {
		return nil, err
	}
	return data.FrameToJSON(f, data.IncludeAll)
}
