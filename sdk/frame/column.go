package frame

import (
	"encoding/json"
	"maps"
	"time"
)

// Value is what a row of a field can hold. A field of pointers is nullable: nil is
// null. A field of plain values has no nulls.
//
//   - Numbers are written in their own size, int as int64. JSON has no NaN and no
//     infinity: there they are null, with a list beside the values of where they were.
//   - A time is written in nanoseconds since 1970 and loses its zone. Arrow reaches from
//     September 1677 to April 2262, and a time outside of that, such as the zero
//     time.Time, is an error; JSON takes any.
//   - A string that is not UTF-8 is written with U+FFFD for each byte that is wrong.
//   - A json.RawMessage has to be valid JSON; nil is written as null.
type Value interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | string | bool | time.Time | json.RawMessage | Enum |
		*int8 | *int16 | *int32 | *int64 | *int | *uint8 | *uint16 | *uint32 | *uint64 |
		*float32 | *float64 | *string | *bool | *time.Time | *json.RawMessage | *Enum
}

// Enum is the number of a text, counted from 0, in the list of texts that
// Column.Texts gives to the field.
type Enum uint16

// Column is a field with values of one type. Its zero value is a field without a name
// and without rows.
type Column[T Value] struct {
	Header
	Values []T
}

// Of makes a column. It keeps the slice, which may be nil for a column that rows are
// appended to:
//
//	price := frame.Of[float64]("price", nil)
//	price.Append(1.5)
func Of[T Value](name string, values []T) *Column[T] {
	return &Column[T]{Header: Header{Name: name}, Values: values}
}

// Append adds rows.
func (c *Column[T]) Append(values ...T) { c.Values = append(c.Values, values...) }

// Len is the number of rows, 0 for a nil column.
func (c *Column[T]) Len() int {
	if c == nil {
		return 0
	}
	return len(c.Values)
}

// Label sets a label and returns the column. A map of labels that columns share is
// left as it is.
func (c *Column[T]) Label(name, value string) *Column[T] {
	labels := maps.Clone(c.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[name] = value
	c.Labels = labels
	return c
}

// Unit sets the unit in the config and returns the column. Hosts know names such as
// "ms", "bytes", "percent", "currencyEUR" and "reqps"; any other text is shown behind
// the number.
func (c *Column[T]) Unit(unit string) *Column[T] {
	config := c.config()
	config.Unit = unit
	return c.Configure(config)
}

// Texts sets the texts of an Enum in the config and returns the column.
func (c *Column[T]) Texts(texts ...string) *Column[T] {
	config := c.config()
	config.Type = &TypeConfig{Enum: &EnumConfig{Text: texts}}
	return c.Configure(config)
}

// Configure sets the whole config and returns the column.
func (c *Column[T]) Configure(config Config) *Column[T] {
	c.Config = &config
	return c
}

func (c *Column[T]) config() Config {
	if c.Config == nil {
		return Config{}
	}
	return *c.Config
}

func (c *Column[T]) vector() *vector {
	if c == nil {
		return nil
	}
	var v *vector
	switch values := any(c.Values).(type) {
	case []int8:
		v = plain[integers[int8]](signed(8), values)
	case []*int8:
		v = nullable[integers[int8]](signed(8), values)
	case []int16:
		v = plain[integers[int16]](signed(16), values)
	case []*int16:
		v = nullable[integers[int16]](signed(16), values)
	case []int32:
		v = plain[integers[int32]](signed(32), values)
	case []*int32:
		v = nullable[integers[int32]](signed(32), values)
	case []int64:
		v = plain[integers[int64]](signed(64), values)
	case []*int64:
		v = nullable[integers[int64]](signed(64), values)
	case []int:
		v = plain[integers[int]](signed(64), values)
	case []*int:
		v = nullable[integers[int]](signed(64), values)
	case []uint8:
		v = plain[integers[uint8]](unsigned(8), values)
	case []*uint8:
		v = nullable[integers[uint8]](unsigned(8), values)
	case []uint16:
		v = plain[integers[uint16]](unsigned(16), values)
	case []*uint16:
		v = nullable[integers[uint16]](unsigned(16), values)
	case []uint32:
		v = plain[integers[uint32]](unsigned(32), values)
	case []*uint32:
		v = nullable[integers[uint32]](unsigned(32), values)
	case []uint64:
		v = plain[integers[uint64]](unsigned(64), values)
	case []*uint64:
		v = nullable[integers[uint64]](unsigned(64), values)
	case []Enum:
		v = plain[integers[Enum]](enum(), values)
	case []*Enum:
		v = nullable[integers[Enum]](enum(), values)
	case []float32:
		v = plain[floats32](floating(32), values)
	case []*float32:
		v = nullable[floats32](floating(32), values)
	case []float64:
		v = plain[floats64](floating(64), values)
	case []*float64:
		v = nullable[floats64](floating(64), values)
	case []string:
		v = plain[texts](text(), values)
	case []*string:
		v = nullable[texts](text(), values)
	case []bool:
		v = plain[bools](boolean(), values)
	case []*bool:
		v = nullable[bools](boolean(), values)
	case []time.Time:
		v = plain[times](timestamp(), values)
	case []*time.Time:
		v = nullable[times](timestamp(), values)
	case []json.RawMessage:
		v = plain[messages](rawJSON(), values)
	case []*json.RawMessage:
		v = nullable[messages](rawJSON(), values)
	}
	v.Header = c.Header
	return v
}
