package expression

import (
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/sdk/frame"
)

// field is a field whose values have been converted to T.
type field[T any] struct {
	*frame.Header

	at func(row int) T
}

// values returns the values of some rows.
func (f field[T]) values(rows ...int) []T {
	values := make([]T, len(rows))
	for n, row := range rows {
		values[n] = f.at(row)
	}
	return values
}

// times returns the values of a time field, nil for null, or nil for any other field.
func times(f frame.Field) func(row int) *time.Time {
	switch c := f.(type) {
	case *frame.Column[time.Time]:
		return func(row int) *time.Time { return &c.Values[row] }
	case *frame.Column[*time.Time]:
		return func(row int) *time.Time { return c.Values[row] }
	}
	return nil
}

// texts returns the values of a string or boolean field, "" for null, or nil for any other
// field.
func texts(f frame.Field) func(row int) string {
	switch c := f.(type) {
	case *frame.Column[string]:
		return func(row int) string { return c.Values[row] }
	case *frame.Column[*string]:
		return orEmpty(c.Values, func(s string) string { return s })
	case *frame.Column[bool]:
		return func(row int) string { return strconv.FormatBool(c.Values[row]) }
	case *frame.Column[*bool]:
		return orEmpty(c.Values, strconv.FormatBool)
	}
	return nil
}

func orEmpty[T any](values []*T, text func(T) string) func(row int) string {
	return func(row int) string {
		if values[row] == nil {
			return ""
		}
		return text(*values[row])
	}
}

// numbers returns the values of a number field, nil for null, or nil for any other field.
func numbers(f frame.Field) func(row int) *float64 {
	switch c := f.(type) {
	case *frame.Column[int8]:
		return converted(c.Values)
	case *frame.Column[*int8]:
		return orNull(c.Values)
	case *frame.Column[int16]:
		return converted(c.Values)
	case *frame.Column[*int16]:
		return orNull(c.Values)
	case *frame.Column[int32]:
		return converted(c.Values)
	case *frame.Column[*int32]:
		return orNull(c.Values)
	case *frame.Column[int64]:
		return converted(c.Values)
	case *frame.Column[*int64]:
		return orNull(c.Values)
	case *frame.Column[int]:
		return converted(c.Values)
	case *frame.Column[*int]:
		return orNull(c.Values)
	case *frame.Column[uint8]:
		return converted(c.Values)
	case *frame.Column[*uint8]:
		return orNull(c.Values)
	case *frame.Column[uint16]:
		return converted(c.Values)
	case *frame.Column[*uint16]:
		return orNull(c.Values)
	case *frame.Column[uint32]:
		return converted(c.Values)
	case *frame.Column[*uint32]:
		return orNull(c.Values)
	case *frame.Column[uint64]:
		return converted(c.Values)
	case *frame.Column[*uint64]:
		return orNull(c.Values)
	case *frame.Column[float32]:
		return converted(c.Values)
	case *frame.Column[*float32]:
		return orNull(c.Values)
	case *frame.Column[float64]:
		return func(row int) *float64 { return &c.Values[row] }
	case *frame.Column[*float64]:
		return func(row int) *float64 { return c.Values[row] }
	}
	return nil
}

type numeric interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | float32
}

func converted[N numeric](values []N) func(row int) *float64 {
	return func(row int) *float64 { return new(float64(values[row])) }
}

func orNull[N numeric](values []*N) func(row int) *float64 {
	return func(row int) *float64 {
		if values[row] == nil {
			return nil
		}
		return new(float64(*values[row]))
	}
}
