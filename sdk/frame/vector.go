package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// vector is a field in the form in which it is written: the values, with an arbitrary
// value for a null, and the rows that are not null.
type vector struct {
	Header
	cells
	kind     kind
	nullable bool
	valid    bitmap // nil if there are no nulls
	nulls    int
}

// cells are the values of a field. In the body of a record batch they are one buffer, or
// two, of which the first contains offsets into the second.
type cells interface {
	len() int
	// size returns the sizes of the buffers; offsets is 0 if there is only one.
	size(valid bitmap) (offsets, data int, err error)
	// put fills the buffers, which are zeroed.
	put(valid bitmap, offsets, data []byte) error
	// appendJSON appends the value of a row that is not null.
	appendJSON(text []byte, row int) ([]byte, error)
}

// bitmap has a bit for each row, starting with the least significant one of a byte. In a
// nil bitmap all bits are set.
type bitmap []byte

func (b bitmap) has(row int) bool { return b == nil || b[row/8]&(1<<(row%8)) != 0 }

func rowError(row int, err error) error { return fmt.Errorf("row %d: %w", row, err) }

type integers[N int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | Enum] []N

func (c integers[N]) len() int { return len(c) }

func (c integers[N]) size(bitmap) (offsets, data int, err error) {
	return 0, len(c) * c.width(), nil
}

func (c integers[N]) width() int {
	if _, isInt := any(c).(integers[int]); isInt { // whose size depends on the machine
		return 8
	}
	return binary.Size(N(0))
}

func (c integers[N]) put(_ bitmap, _, data []byte) error {
	if ints, isInt := any(c).(integers[int]); isInt {
		for row, v := range ints {
			binary.LittleEndian.PutUint64(data[8*row:], uint64(v))
		}
		return nil
	}
	_, err := binary.Encode(data, binary.LittleEndian, []N(c))
	return err
}

func (c integers[N]) appendJSON(text []byte, row int) ([]byte, error) {
	if v := c[row]; v < 0 {
		return strconv.AppendInt(text, int64(v), 10), nil
	}
	return strconv.AppendUint(text, uint64(c[row]), 10), nil
}

type floats[F float32 | float64] []F

func (c floats[F]) len() int                                   { return len(c) }
func (c floats[F]) size(bitmap) (offsets, data int, err error) { return 0, c.bits() / 8 * len(c), nil }
func (c floats[F]) entities(valid bitmap) *entities            { return findEntities(c, valid) }

func (c floats[F]) bits() int {
	if _, isShort := any(F(0)).(float32); isShort {
		return 32
	}
	return 64
}

func (c floats[F]) put(_ bitmap, _, data []byte) error {
	_, err := binary.Encode(data, binary.LittleEndian, []F(c))
	return err
}

func (c floats[F]) appendJSON(text []byte, row int) ([]byte, error) {
	return appendFloat(text, float64(c[row]), c.bits()), nil
}

func appendFloat(text []byte, v float64, bits int) []byte {
	abs := math.Abs(v)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(text, "null"...)
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		return strconv.AppendFloat(text, v, 'e', -1, bits)
	}
	return strconv.AppendFloat(text, v, 'f', -1, bits)
}

type bools []bool

func (c bools) len() int                                   { return len(c) }
func (c bools) size(bitmap) (offsets, data int, err error) { return 0, (len(c) + 7) / 8, nil }
func (c bools) appendJSON(t []byte, row int) ([]byte, error) {
	return strconv.AppendBool(t, c[row]), nil
}

func (c bools) put(_ bitmap, _, data []byte) error {
	for row, v := range c {
		if v {
			data[row/8] |= 1 << (row % 8)
		}
	}
	return nil
}

type times []time.Time

func (c times) len() int                                   { return len(c) }
func (c times) size(bitmap) (offsets, data int, err error) { return 0, 8 * len(c), nil }

func (c times) put(valid bitmap, _, data []byte) error {
	const reach = math.MaxInt64 / int64(time.Second) // seconds from 1970 that certainly fit
	for row := range c {
		if !valid.has(row) {
			continue
		}
		t := &c[row]
		s := t.Unix()
		n := s*int64(time.Second) + int64(t.Nanosecond())
		if (s <= -reach || s >= reach) && !time.Unix(0, n).Equal(*t) {
			return rowError(row, fmt.Errorf("time %s is out of range for nanoseconds since 1970", t.UTC().Format(time.RFC3339)))
		}
		binary.LittleEndian.PutUint64(data[8*row:], uint64(n))
	}
	return nil
}

func (c times) appendJSON(text []byte, row int) ([]byte, error) {
	return strconv.AppendInt(text, c[row].UnixMilli(), 10), nil
}

// nanos returns the nanoseconds without the milliseconds, or nil if all are 0.
func (c times) nanos(valid bitmap) (nanos []int) {
	for row, t := range c {
		if n := t.Nanosecond() % int(time.Millisecond); n != 0 && valid.has(row) {
			if nanos == nil {
				nanos = make([]int, len(c))
			}
			nanos[row] = n
		}
	}
	return nanos
}

type texts []string

func (c texts) len() int { return len(c) }

func (c texts) size(bitmap) (offsets, data int, err error) {
	for row, s := range c {
		if data, err = addSize(data, len(utf8Text(s)), row); err != nil {
			return 0, 0, err
		}
	}
	return 4 * (len(c) + 1), data, nil
}

func (c texts) put(_ bitmap, offsets, data []byte) error {
	end := 0
	for row, s := range c {
		end += copy(data[end:], utf8Text(s))
		binary.LittleEndian.PutUint32(offsets[4*(row+1):], uint32(end))
	}
	return nil
}

func (c texts) appendJSON(text []byte, row int) ([]byte, error) {
	return appendString(text, c[row]), nil
}

// utf8Text replaces each byte of invalid UTF-8 with U+FFFD, as encoding/json does.
func utf8Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// appendString appends a JSON string as encoding/json encodes it.
func appendString(text []byte, s string) []byte {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			encoded, _ := json.Marshal(s) // a string always encodes
			return append(text, encoded...)
		}
	}
	text = append(text, '"')
	text = append(text, s...)
	return append(text, '"')
}

// addSize adds the sizes of texts, whose offsets have 31 bits.
func addSize(sum, n, row int) (int, error) {
	if n > math.MaxInt32-sum {
		return 0, rowError(row, errors.New("the values take more than 2 GB"))
	}
	return sum + n, nil
}

type messages []json.RawMessage

func (c messages) len() int { return len(c) }

// text returns the JSON of a row; nil becomes null.
func (c messages) text(row int) (json.RawMessage, error) {
	if c[row] == nil {
		return json.RawMessage("null"), nil
	}
	if !json.Valid(c[row]) {
		return nil, rowError(row, errors.New("invalid JSON"))
	}
	return c[row], nil
}

func (c messages) size(valid bitmap) (offsets, data int, err error) {
	for row := range c {
		if !valid.has(row) {
			continue
		}
		m, err := c.text(row)
		if err != nil {
			return 0, 0, err
		}
		if data, err = addSize(data, len(m), row); err != nil {
			return 0, 0, err
		}
	}
	return 4 * (len(c) + 1), data, nil
}

func (c messages) put(valid bitmap, offsets, data []byte) error {
	end := 0
	for row, m := range c {
		if valid.has(row) {
			if m == nil {
				m = json.RawMessage("null")
			}
			end += copy(data[end:], m)
		}
		binary.LittleEndian.PutUint32(offsets[4*(row+1):], uint32(end))
	}
	return nil
}

func (c messages) appendJSON(text []byte, row int) ([]byte, error) {
	m, err := c.text(row)
	return append(text, m...), err
}
