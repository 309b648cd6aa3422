// Package frame implements data frames, the tables that make up streams and the
// responses to queries. A [Frame] is written as an Arrow IPC file or as JSON, in the
// format of the data package of Grafana's SDK, but without that package's dependencies.
//
//	f := frame.New("sales",
//		frame.Of("time", times),                       // []time.Time
//		frame.Of("price", prices).Unit("currencyEUR"), // []float64, or []*float64 with nil for null
//		frame.Of("shop", shops).Label("host", "a"),    // []string
//	)
//
// [Parse] reads a frame, for example in a test.
package frame

import "fmt"

// Frame is a table. Its fields are the columns, which must have the same number of rows.
// Several goroutines may read and marshal a Frame, but not while one of them changes it.
type Frame struct {
	Name   string
	RefID  string // of the query; the SDK sets it if it is empty
	Meta   *Meta  // or nil
	Fields []Field
}

// New returns a frame.
func New(name string, fields ...Field) *Frame {
	return &Frame{Name: name, Fields: fields}
}

// Field is a column of any type, always a *Column[T]. A type assertion gives access to
// its values.
type Field interface {
	// Head returns the field's name, labels and config, which the caller may change.
	Head() *Header
	// Len returns the number of rows.
	Len() int

	// vector returns nil for a nil *Column.
	vector() *vector
}

// Header describes a field.
type Header struct {
	Name   string
	Labels map[string]string // dimensions of a series, such as "host": "a"; or nil
	Config *Config           // how hosts display the values; nil for their defaults
}

// Head returns h.
func (h *Header) Head() *Header { return h }

// vectors returns the fields in the form in which they are written, and the number of
// rows. It returns an error if a field is nil or if the lengths differ.
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
			return nil, 0, fmt.Errorf("fields differ in length: %q has length %d, %q has length %d", list[0].Name, rows, v.Name, v.len())
		}
		list = append(list, v)
	}
	return list, rows, nil
}

func fieldError(n int, v *vector, err error) error {
	return fmt.Errorf("field %d %q: %w", n, v.Name, err)
}
