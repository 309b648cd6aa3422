package frame

import (
	"encoding/json"
	"maps"
	"time"
)

// Value is the type of a value in a field. A field of pointers is nullable: a nil
// pointer is a null.
//
//   - An int is written as an int64.
//   - NaN and infinities are null in JSON, with a list of their positions.
//   - A time.Time is written without its zone. In Arrow it must be between September 1677
//     and April 2262, which excludes the zero Time.
//   - Invalid UTF-8 in a string is replaced by U+FFFD.
//   - A json.RawMessage must be valid JSON; nil is written as null.
type Value interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 |
		float32 | float64 | string | bool | time.Time | json.RawMessage | Enum |
		*int8 | *int16 | *int32 | *int64 | *int | *uint8 | *uint16 | *uint32 | *uint64 |
		*float32 | *float64 | *string | *bool | *time.Time | *json.RawMessage | *Enum
}

// Enum is an index into the texts of its field; see [Column.Texts].
type Enum uint16

// Column is a field with values of type T.
type Column[T Value] struct {
	Header
	Values []T
}

// Of returns a column with the values, which it does not copy. To append rows, start
// with nil:
//
//	price := frame.Of[float64]("price", nil)
//	price.Append(1.5)
func Of[T Value](name string, values []T) *Column[T] {
	return &Column[T]{Header: Header{Name: name}, Values: values}
}

// Append appends rows.
func (c *Column[T]) Append(values ...T) { c.Values = append(c.Values, values...) }

// Len returns the number of rows, which is 0 for a nil column.
func (c *Column[T]) Len() int {
	if c == nil {
		return 0
	}
	return len(c.Values)
}

// Label sets a label and returns c. It does not change a map that columns share.
func (c *Column[T]) Label(name, value string) *Column[T] {
	labels := maps.Clone(c.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[name] = value
	c.Labels = labels
	return c
}

// Unit sets the unit in the config and returns c. Hosts know names such as "ms",
// "bytes", "percent", "currencyEUR" and "reqps", and display any other text after the
// number.
func (c *Column[T]) Unit(unit string) *Column[T] {
	config := c.config()
	config.Unit = unit
	return c.Configure(config)
}

// Texts sets the texts for the values of an Enum in the config and returns c.
func (c *Column[T]) Texts(texts ...string) *Column[T] {
	config := c.config()
	config.Type = &TypeConfig{Enum: &EnumConfig{Text: texts}}
	return c.Configure(config)
}

// Configure sets the config and returns c.
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
	v := vectorOf(c.Values)
	v.Header = c.Header
	return v
}

// vectorOf returns the values of a column. As a part of a method, it would be compiled for
// each type of a column.
func vectorOf(values any) (v *vector) {
	switch values := values.(type) {
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
	return v
}
