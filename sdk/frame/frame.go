// Package frame is a table of data that writes itself as an Arrow IPC file, which
// answers to queries consist of, and as JSON, which streams send. It writes what the
// data package of the existing SDK writes, and brings none of its libraries: only the
// standard library and flatbuffers.
//
//	f := frame.New("sales",
//		frame.Of("time", times),                       // []time.Time
//		frame.Of("price", prices).Unit("currencyEUR"), // []float64, or []*float64 where nil is null
//		frame.Of("shop", shops).Label("host", "a"),    // []string
//	)
//
// It does not read frames, and does no arithmetic on them: package sdk/frames reads,
// into frames of the data package, which the SDK takes just as well.
package frame

import "fmt"

// Frame is a table. Its fields are the columns, all with the same number of rows. It
// may be read, and written as Arrow or JSON, by several goroutines at once, but not
// while one of them changes it.
type Frame struct {
	Name   string
	RefID  string // of the query that it answers; the SDK fills it in when it is empty
	Meta   *Meta  // nil for none
	Fields []Field
}

// New makes a frame. Fields can be added to and rows appended until it is written.
func New(name string, fields ...Field) *Frame {
	return &Frame{Name: name, Fields: fields}
}

// Field is a column of any type: a *Column[T]. A type switch or assertion on it leads
// back to the values.
type Field interface {
	// Head is the field's name, labels and config, which may be changed.
	Head() *Header
	// Len is the number of rows.
	Len() int

	// vector is nil for a nil *Column, so that it is an error and no panic.
	vector() *vector
}

// Header is what is known of a field besides its values.
type Header struct {
	Name   string
	Labels map[string]string // dimensions of a series, such as "host": "a"; nil for none
	Config *Config           // how the host should show the values; nil for its defaults
}

// Head returns the header itself, so that a Field leads to it.
func (h *Header) Head() *Header { return h }

// vectors are the fields as they are written, and the number of rows. It is an error
// when a field is nil or they differ in length.
func (f *Frame) vectors() (list []*vector, rows int, err error) {
	for n, field := range f.Fields {
		if field == nil {
			return nil, 0, fmt.Errorf("field %d is nil", n)
		}
		v := field.vector()
		if v == nil {
			return nil, 0, fmt.Errorf("field %d is nil", n)
		}
		if n == 0 {
			rows = v.len()
		}
		if v.len() != rows {
			return nil, 0, fmt.Errorf("fields differ in length: %q has %d rows, %q has %d", list[0].Name, rows, v.Name, v.len())
		}
		list = append(list, v)
	}
	return list, rows, nil
}

// fieldError says in which field an error is.
func fieldError(n int, v *vector, err error) error {
	return fmt.Errorf("field %d %q: %w", n, v.Name, err)
}
