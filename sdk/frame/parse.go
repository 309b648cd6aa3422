package frame

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// Parse reads a frame from an Arrow IPC file, as MarshalArrow and the data package of
// Grafana's SDK write it: with numbers, enums, strings, booleans, JSON and nanosecond
// timestamps, and with neither compression nor dictionaries. Each field is a *Column of
// the type that its values had, with int read as int64. A json.RawMessage that is not
// valid JSON is read as null, as on hosts.
//
// Parse accepts any bytes. It does not panic, and the memory that it allocates is
// proportional to the size of the file.
func Parse(file []byte) (*Frame, error) { return ParseAtMost(file, math.MaxInt) }

// ErrTooLarge is the error for a frame with too many values.
var ErrTooLarge = errors.New("the frame has too many values")

// ParseAtMost is like Parse, but returns an error that wraps ErrTooLarge if the frame has more
// than the given number of values, before it allocates them. A value can take about 200 times as
// much space in memory as in the file, where a boolean is one bit.
func ParseAtMost(file []byte, values int) (f *Frame, err error) {
	defer recoverDamage(&err)
	a, err := openArrow(file)
	if err != nil {
		return nil, fmt.Errorf("parse frame: %w", err)
	}
	a.values = values
	if f, err = a.frame(); err != nil {
		return nil, fmt.Errorf("parse frame: %w", err)
	}
	return f, nil
}

func (a *arrowFile) frame() (*Frame, error) {
	f := &Frame{Name: find(a.schema.metadata, "name"), RefID: find(a.schema.metadata, refIDKey)}
	if meta := find(a.schema.metadata, "meta"); meta != "" {
		f.Meta = &Meta{}
		if err := json.Unmarshal([]byte(meta), f.Meta); err != nil {
			return nil, fmt.Errorf("meta: %w", err)
		}
	}
	readers := make([]columnReader, len(a.schema.fields))
	for n, field := range a.schema.fields {
		r, err := newColumnReader(field)
		if err != nil {
			return nil, fmt.Errorf("field %d %q: %w", n, field.name, err)
		}
		readers[n] = r
		f.Fields = append(f.Fields, r.Field)
	}
	for n, b := range a.blocks {
		if err := a.readRecord(b, readers); err != nil {
			return nil, fmt.Errorf("record batch %d: %w", n, err)
		}
	}
	return f, nil
}

// readRecord appends the rows of a record batch to the columns.
func (a *arrowFile) readRecord(b block, readers []columnReader) error {
	batch, err := a.recordBatch(b)
	if err != nil {
		return err
	}
	if batch.columns != len(readers) {
		return fmt.Errorf("the number of columns is %d, expected %d", batch.columns, len(readers))
	}
	if n := batch.columns; n > 0 && batch.rows > a.values/n {
		return ErrTooLarge
	}
	a.values -= batch.rows * batch.columns
	for n, r := range readers {
		c, err := batch.column(n, r.kind)
		if err == nil {
			err = r.read(c)
		}
		if err != nil {
			return fmt.Errorf("column %d: %w", n, err)
		}
	}
	return nil
}

// columnReader is a field with the function that appends the rows of a record batch.
type columnReader struct {
	Field
	kind kind
	read func(columnData) error
}

// columnData are the buffers of a column in a record batch. Their sizes fit the rows.
type columnData struct {
	rows    int
	valid   bitmap // nil when no row is null
	offsets []byte // of strings and JSON
	data    []byte
}

func newColumnReader(f schemaField) (columnReader, error) {
	h := Header{Name: f.name}
	if labels := find(f.metadata, "labels"); labels != "" {
		if err := json.Unmarshal([]byte(labels), &h.Labels); err != nil {
			return columnReader{}, fmt.Errorf("labels: %w", err)
		}
	}
	if config := find(f.metadata, "config"); config != "" {
		h.Config = &Config{}
		if err := json.Unmarshal([]byte(config), h.Config); err != nil {
			return columnReader{}, fmt.Errorf("config: %w", err)
		}
	}
	switch f.kind {
	case signed(8):
		return readerOf(f, &Column[int8]{Header: h}, &Column[*int8]{Header: h}, readNumbers), nil
	case signed(16):
		return readerOf(f, &Column[int16]{Header: h}, &Column[*int16]{Header: h}, readNumbers), nil
	case signed(32):
		return readerOf(f, &Column[int32]{Header: h}, &Column[*int32]{Header: h}, readNumbers), nil
	case signed(64):
		return readerOf(f, &Column[int64]{Header: h}, &Column[*int64]{Header: h}, readNumbers), nil
	case unsigned(8):
		return readerOf(f, &Column[uint8]{Header: h}, &Column[*uint8]{Header: h}, readNumbers), nil
	case unsigned(16):
		return readerOf(f, &Column[uint16]{Header: h}, &Column[*uint16]{Header: h}, readNumbers), nil
	case unsigned(32):
		return readerOf(f, &Column[uint32]{Header: h}, &Column[*uint32]{Header: h}, readNumbers), nil
	case unsigned(64):
		return readerOf(f, &Column[uint64]{Header: h}, &Column[*uint64]{Header: h}, readNumbers), nil
	case floating(32):
		return readerOf(f, &Column[float32]{Header: h}, &Column[*float32]{Header: h}, readNumbers), nil
	case floating(64):
		return readerOf(f, &Column[float64]{Header: h}, &Column[*float64]{Header: h}, readNumbers), nil
	case enum():
		return readerOf(f, &Column[Enum]{Header: h}, &Column[*Enum]{Header: h}, readNumbers), nil
	case boolean():
		return readerOf(f, &Column[bool]{Header: h}, &Column[*bool]{Header: h}, readBools), nil
	case timestamp():
		return readerOf(f, &Column[time.Time]{Header: h}, &Column[*time.Time]{Header: h}, readTimes), nil
	case text():
		return readerOf(f, &Column[string]{Header: h}, &Column[*string]{Header: h}, readTexts), nil
	case rawJSON():
		return readerOf(f, &Column[json.RawMessage]{Header: h}, &Column[*json.RawMessage]{Header: h}, readMessages), nil
	}
	return columnReader{}, fmt.Errorf("unsupported type %s", f.kind.name)
}

// appender is a *Column of a type.
type appender[T any] interface {
	Field
	Append(values ...T)
}

// readerOf returns the reader of the plain or of the nullable column.
func readerOf[T any](f schemaField, plain appender[T], nullable appender[*T], read func(columnData) ([]T, error)) columnReader {
	if !f.nullable {
		return columnReader{plain, f.kind, func(c columnData) error {
			values, err := read(c)
			plain.Append(values...)
			return err
		}}
	}
	return columnReader{nullable, f.kind, func(c columnData) error {
		values, err := read(c)
		pointers := make([]*T, len(values))
		for row := range values {
			if c.valid.has(row) {
				pointers[row] = &values[row]
			}
		}
		nullable.Append(pointers...)
		return err
	}}
}

func readNumbers[T any](c columnData) ([]T, error) {
	values := make([]T, c.rows)
	_, err := binary.Decode(c.data, binary.LittleEndian, values)
	return values, err
}

func readBools(c columnData) ([]bool, error) {
	values := make([]bool, c.rows)
	for row := range values {
		values[row] = bitmap(c.data).has(row)
	}
	return values, nil
}

func readTimes(c columnData) ([]time.Time, error) {
	values := make([]time.Time, c.rows)
	for row := range values {
		values[row] = time.Unix(0, int64(binary.LittleEndian.Uint64(c.data[8*row:]))).UTC()
	}
	return values, nil
}

func readTexts[T ~string | ~[]byte](c columnData) ([]T, error) {
	values := make([]T, c.rows)
	start := 0
	for row := range values {
		end := int(binary.LittleEndian.Uint32(c.offsets[4*(row+1):]))
		if row == 0 {
			start = int(binary.LittleEndian.Uint32(c.offsets))
		}
		if end < start || end > len(c.data) {
			return nil, rowError(row, errors.New("invalid offset"))
		}
		values[row] = T(append([]byte(nil), c.data[start:end]...))
		start = end
	}
	return values, nil
}

func readMessages(c columnData) ([]json.RawMessage, error) {
	values, err := readTexts[json.RawMessage](c)
	null := json.RawMessage("null")
	for row, m := range values {
		if !json.Valid(m) {
			values[row] = null
		}
	}
	return values, err
}

// find returns the value of the first entry with the key, or "".
func find(entries []entry, key string) string {
	for _, e := range entries {
		if e.key == key {
			return e.value
		}
	}
	return ""
}
