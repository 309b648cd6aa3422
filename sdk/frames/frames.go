// Package frames reads data frames that came from somebody else: the Arrow files of a
// QueryData answer and the JSON of a stream. Whatever the bytes are, it returns a
// frame or an error; it never panics, and a number that does not fit is an error and
// not another number.
//
// A frame is a *data.Frame of github.com/grafana/grafana-plugin-sdk-go/data, which
// writes itself: MarshalArrow and MarshalJSON.
package frames

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
)

// Of reads any frame of an answer; a *data.Frame is returned as it is.
func Of(in sdk.Frame) (*data.Frame, error) {
	if f, ok := in.(*data.Frame); ok {
		return f, nil
	}
	raw, err := in.MarshalArrow()
	if err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	return FromArrow(raw)
}

// FromResponse reads the frames of an answer to a query. The error names the frame
// by its place.
func FromResponse(r sdk.DataResponse) ([]*data.Frame, error) {
	list := make([]*data.Frame, len(r.Frames))
	for n, in := range r.Frames {
		f, err := Of(in)
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", n, err)
		}
		list[n] = f
	}
	return list, nil
}

// ToJSON writes a frame as JSON, as FromJSON reads it and hosts send it to browsers. A
// frame that cannot be written, such as one with fields of different lengths, is an
// error.
func ToJSON(f *data.Frame) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("write JSON frame: %v", p)
		}
	}()
	if text, err = data.FrameToJSON(f, data.IncludeAll); err != nil {
		return nil, fmt.Errorf("write JSON frame: %w", err)
	}
	return text, nil
}

// wireFrame is the JSON of a frame.
type wireFrame struct {
	Schema *wireSchema `json:"schema"`
	Data   *wireData   `json:"data"`
}

type wireSchema struct {
	Name   string          `json:"name"`
	RefID  string          `json:"refId"`
	Meta   *data.FrameMeta `json:"meta"`
	Fields []wireField     `json:"fields"`
}

type wireField struct {
	Name     string            `json:"name"`
	Labels   data.Labels       `json:"labels"`
	Config   *data.FieldConfig `json:"config"`
	TypeInfo struct {
		Frame    string `json:"frame"`
		Nullable bool   `json:"nullable"`
	} `json:"typeInfo"`
}

// wireData holds the values by column. Entities are the rows that hold what JSON has
// no number for; nanos is what milliseconds leave out of a time.
type wireData struct {
	Values   []json.RawMessage `json:"values"`
	Entities []*wireEntities   `json:"entities"`
	Nanos    [][]int64         `json:"nanos"`
}

type wireEntities struct {
	NaN    []int `json:"NaN"`
	Inf    []int `json:"Inf"`
	NegInf []int `json:"NegInf"`
}

// FromJSON reads a frame from its JSON: an object with "schema" and, unless the frame
// has no rows, "data". The error names the field and the row.
func FromJSON(text []byte) (f *data.Frame, err error) {
	defer func() {
		if p := recover(); p != nil { // the parts of a schema that the data package reads
			f, err = nil, fmt.Errorf("read JSON frame: it is damaged: %v", p)
		}
	}()
	var in wireFrame
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("read JSON frame: %w", err)
	}
	if in.Schema == nil {
		return nil, fmt.Errorf("read JSON frame: it has no \"schema\"")
	}
	if in.Data == nil {
		in.Data = &wireData{}
	}
	fields := len(in.Schema.Fields)
	if n := len(in.Data.Values); n != fields && n != 0 {
		return nil, fmt.Errorf("read JSON frame: it has %d fields, but values for %d", fields, n)
	}
	if len(in.Data.Entities) > fields || len(in.Data.Nanos) > fields {
		return nil, fmt.Errorf("read JSON frame: it has %d fields, but entities for %d and nanos for %d", fields, len(in.Data.Entities), len(in.Data.Nanos))
	}
	f = &data.Frame{Name: in.Schema.Name, RefID: in.Schema.RefID, Meta: in.Schema.Meta}
	for n, schema := range in.Schema.Fields {
		c := column{}
		if len(in.Data.Values) > 0 {
			c.values = in.Data.Values[n]
		}
		if n < len(in.Data.Entities) {
			c.entities = in.Data.Entities[n]
		}
		if n < len(in.Data.Nanos) {
			c.nanos = in.Data.Nanos[n]
		}
		field, err := c.read(schema)
		if err != nil {
			return nil, fmt.Errorf("read JSON frame: field %d %q: %w", n, schema.Name, err)
		}
		f.Fields = append(f.Fields, field)
	}
	if _, err := f.RowLen(); err != nil {
		return nil, fmt.Errorf("read JSON frame: %w", err)
	}
	return f, nil
}

// column is one field of the JSON's data.
type column struct {
	values   json.RawMessage // an array, or nil for no rows
	entities *wireEntities
	nanos    []int64
}

// read makes a field of the type in its schema.
func (c column) read(schema wireField) (field *data.Field, err error) {
	nullable := schema.TypeInfo.Nullable
	if c.entities != nil && schema.TypeInfo.Frame != "float64" && schema.TypeInfo.Frame != "float32" {
		return nil, fmt.Errorf("it has entities, but its type is %q", schema.TypeInfo.Frame)
	}
	if len(c.nanos) > 0 && schema.TypeInfo.Frame != "time.Time" {
		return nil, fmt.Errorf("it has nanos, but its type is %q", schema.TypeInfo.Frame)
	}
	switch schema.TypeInfo.Frame {
	case "int8":
		field, err = plain[int8](c, nullable)
	case "int16":
		field, err = plain[int16](c, nullable)
	case "int32":
		field, err = plain[int32](c, nullable)
	case "int64":
		field, err = convert(c, nullable, func(_ int, n json.Number) (int64, error) { return strconv.ParseInt(n.String(), 10, 64) })
	case "uint8":
		field, err = plain[uint8](c, nullable)
	case "uint16":
		field, err = plain[uint16](c, nullable)
	case "uint32":
		field, err = plain[uint32](c, nullable)
	case "uint64":
		field, err = convert(c, nullable, func(_ int, n json.Number) (uint64, error) { return strconv.ParseUint(n.String(), 10, 64) })
	case "float32":
		field, err = floats[float32](c, nullable)
	case "float64":
		field, err = floats[float64](c, nullable)
	case "string":
		field, err = plain[string](c, nullable)
	case "bool":
		field, err = plain[bool](c, nullable)
	case "enum":
		field, err = plain[data.EnumItemIndex](c, nullable)
	case "time.Time":
		field, err = convert(c, nullable, c.time)
	case "json.RawMessage":
		field, err = c.json(nullable)
	default:
		return nil, fmt.Errorf("the type %q is not known", schema.TypeInfo.Frame)
	}
	if err != nil {
		return nil, err
	}
	field.Name, field.Labels, field.Config = schema.Name, schema.Labels, schema.Config
	return field, nil
}

// list decodes the values; null is nil.
func list[T any](c column) ([]*T, error) {
	var values []*T
	if len(c.values) == 0 {
		return values, nil
	}
	err := json.Unmarshal(c.values, &values)
	return values, err
}

// plain makes a field of values that encoding/json reads as they are.
func plain[T any](c column, nullable bool) (*data.Field, error) {
	values, err := list[T](c)
	if err != nil {
		return nil, err
	}
	return fieldOf(values, nullable)
}

// convert makes a field of values that are read as an S first.
func convert[S, T any](c column, nullable bool, to func(row int, s S) (T, error)) (*data.Field, error) {
	in, err := list[S](c)
	if err != nil {
		return nil, err
	}
	values := make([]*T, len(in))
	for row, s := range in {
		if s == nil {
			continue
		}
		v, err := to(row, *s)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
		values[row] = &v
	}
	return fieldOf(values, nullable)
}

func (c column) time(row int, ms json.Number) (time.Time, error) {
	n, err := ms.Int64()
	if err != nil {
		return time.Time{}, err
	}
	t := time.UnixMilli(n).UTC()
	if row < len(c.nanos) {
		t = t.Add(time.Duration(c.nanos[row]))
	}
	return t, nil
}

// floats also sets the rows that hold an entity, which are null among the values.
func floats[T float32 | float64](c column, nullable bool) (*data.Field, error) {
	values, err := list[T](c)
	if err != nil {
		return nil, err
	}
	set := func(rows []int, v float64) error {
		for _, row := range rows {
			if row < 0 || row >= len(values) {
				return fmt.Errorf("an entity is in row %d, but there are %d rows", row, len(values))
			}
			t := T(v)
			values[row] = &t
		}
		return nil
	}
	if e := c.entities; e != nil {
		for _, one := range []struct {
			rows []int
			v    float64
		}{{e.NaN, math.NaN()}, {e.Inf, math.Inf(1)}, {e.NegInf, math.Inf(-1)}} {
			if err := set(one.rows, one.v); err != nil {
				return nil, err
			}
		}
	}
	return fieldOf(values, nullable)
}

// json keeps each value as it is written.
func (c column) json(nullable bool) (*data.Field, error) {
	var in []json.RawMessage
	if len(c.values) > 0 {
		if err := json.Unmarshal(c.values, &in); err != nil {
			return nil, err
		}
	}
	if !nullable {
		return data.NewField("", nil, in), nil
	}
	values := make([]*json.RawMessage, len(in))
	for row := range in {
		if !bytes.Equal(in[row], []byte("null")) {
			values[row] = &in[row]
		}
	}
	return data.NewField("", nil, values), nil
}

// fieldOf makes a field. Null in one that is not nullable is an error.
func fieldOf[T any](values []*T, nullable bool) (*data.Field, error) {
	if nullable {
		return data.NewField("", nil, values), nil
	}
	plain := make([]T, len(values))
	for row, v := range values {
		if v == nil {
			return nil, fmt.Errorf("row %d is null, but the field is not nullable", row)
		}
		plain[row] = *v
	}
	return data.NewField("", nil, plain), nil
}
