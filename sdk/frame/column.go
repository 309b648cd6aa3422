package frame

import (
	"cmp"
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

// vectorOf returns the values of a column. A method would be compiled for each type of column.
func vectorOf(values any) *vector {
	return cmp.Or(
		vectorFor[integers[int8]](values, signed(8)), vectorFor[integers[int16]](values, signed(16)),
		vectorFor[integers[int32]](values, signed(32)), vectorFor[integers[int64]](values, signed(64)),
		vectorFor[integers[int]](values, signed(64)),
		vectorFor[integers[uint8]](values, unsigned(8)), vectorFor[integers[uint16]](values, unsigned(16)),
		vectorFor[integers[uint32]](values, unsigned(32)), vectorFor[integers[uint64]](values, unsigned(64)),
		vectorFor[integers[Enum]](values, enum()),
		vectorFor[floats[float32]](values, floating(32)), vectorFor[floats[float64]](values, floating(64)),
		vectorFor[texts](values, text()), vectorFor[bools](values, boolean()), vectorFor[times](values, timestamp()),
		vectorFor[messages](values, rawJSON()),
	)
}

// vectorFor returns the vector of values whose type is []S or []*S, or nil.
func vectorFor[C interface {
	~[]S
	cells
}, S any](values any, k kind) *vector {
	if plain, ok := values.([]S); ok {
		return &vector{cells: C(plain), kind: k}
	}
	pointers, ok := values.([]*S)
	if !ok {
		return nil
	}
	plain, valid, nulls := make([]S, len(pointers)), make(bitmap, (len(pointers)+7)/8), 0
	for row, p := range pointers {
		if p == nil {
			nulls++
			continue
		}
		plain[row] = *p
		valid[row/8] |= 1 << (row % 8)
	}
	if nulls == 0 {
		valid = nil
	}
	return &vector{cells: C(plain), kind: k, nullable: true, valid: valid, nulls: nulls}
}
