package expression

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

const needShape = "return a time field with number fields, optionally with string fields that become labels, or a table of string fields and one number field"

// readFrames converts the frames of a query.
func (e *evaluation) readFrames(refID string, frames data.Frames) (collection, error) {
	var c collection
	var names []string // of the fields, one per item
	for n, f := range frames {
		if f == nil || len(f.Fields) == 0 {
			continue
		}
		where := fmt.Sprintf("frame %d of $%s", n, shorten(refID))
		if f.Name != "" {
			where = fmt.Sprintf("frame %d (%s) of $%s", n, shorten(f.Name), shorten(refID))
		}
		r := reader{evaluation: e, where: where, frame: f}
		if err := r.read(); err != nil {
			return collection{}, err
		}
		c.items = append(c.items, r.items...)
		names = append(names, r.names...)
	}
	return c, distinguish(refID, c.items, names)
}

// reader converts one frame.
type reader struct {
	*evaluation

	where string
	frame *data.Frame
	time  *data.Field // or nil
	texts data.Fields // which become labels
	nums  data.Fields

	items []item
	names []string // of the fields, one per item
}

func (r *reader) read() error {
	for _, f := range r.frame.Fields {
		switch kind := f.Type(); {
		case kind.Time():
			if r.time == nil {
				r.time = f
			}
		case kind.Numeric():
			r.nums = append(r.nums, f)
		case kind.NonNullableType() == data.FieldTypeString, kind.NonNullableType() == data.FieldTypeBool:
			r.texts = append(r.texts, f)
		}
	}
	rows, err := r.frame.RowLen()
	switch {
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", r.where, err)
	case rows == 0 && r.time == nil:
		return nil
	case len(r.nums) == 0:
		return problemf(needShape, "cannot read %s: it has no number field", r.where)
	case r.time != nil && len(r.texts) == 0: // wide
		return r.series(nil, r.timed(rows))
	case r.time != nil:
		return r.long(rows)
	case len(r.texts) == 0 && rows > 1:
		return problemf(needShape, "cannot read %s: it has %d rows, and neither a time field nor a string field", r.where, rows)
	case len(r.texts) > 0 && len(r.nums) > 1:
		return problemf(needShape, "cannot read %s: it has %d number fields (%s)", r.where, len(r.nums), fieldNames(r.nums))
	}
	return r.numbers(rows)
}

func fieldNames(fields data.Fields) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = strconv.Quote(shorten(f.Name))
	}
	return list(names)
}

// long reads a series per number field and combination of strings. Unlike in a wide
// frame, a series has points only where the frame has a row for it.
func (r *reader) long(rows int) error {
	groups := map[string][]int{} // rows by strings
	var keys []string
	for _, row := range r.timed(rows) {
		key := r.key(row)
		if _, ok := groups[key]; !ok {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], row)
	}
	for _, key := range keys {
		group := groups[key]
		if err := r.series(r.labels(group[0]), group); err != nil {
			return err
		}
	}
	return nil
}

// series reads some rows as one series per number field.
func (r *reader) series(labels data.Labels, rows []int) error {
	times := make([]time.Time, len(rows))
	for n, row := range rows {
		at, _ := r.time.ConcreteAt(row)
		times[n] = at.(time.Time)
	}
	for _, f := range r.nums {
		if err := r.spend(len(rows)); err != nil {
			return err
		}
		values, err := r.values(f, rows...)
		if err != nil {
			return err
		}
		r.add(f, sorted(item{labels: merge(labels, f.Labels), series: true, times: times, values: values}))
	}
	return nil
}

// numbers reads a number per row and number field.
func (r *reader) numbers(rows int) error {
	for row := range rows {
		labels := r.labels(row)
		for _, f := range r.nums {
			if err := r.spend(1); err != nil {
				return err
			}
			values, err := r.values(f, row)
			if err != nil {
				return err
			}
			r.add(f, item{labels: merge(labels, f.Labels), values: values})
		}
	}
	return nil
}

func (r *reader) add(f *data.Field, i item) {
	r.items, r.names = append(r.items, i), append(r.names, f.Name)
}

// timed returns the rows whose time is not null.
func (r *reader) timed(rows int) []int {
	list := make([]int, 0, rows)
	for row := range rows {
		if !r.time.NilAt(row) {
			list = append(list, row)
		}
	}
	return list
}

func (r *reader) values(f *data.Field, rows ...int) ([]*float64, error) {
	values := make([]*float64, len(rows))
	for n, row := range rows {
		var err error
		if values[n], err = f.NullableFloatAt(row); err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", r.where, err)
		}
	}
	return values, nil
}

// key identifies the strings of a row.
func (r *reader) key(row int) string {
	var b strings.Builder
	for _, f := range r.texts {
		fmt.Fprintf(&b, "%q,", text(f, row))
	}
	return b.String()
}

func (r *reader) labels(row int) data.Labels {
	labels := data.Labels{}
	for _, f := range r.texts {
		labels[f.Name] = text(f, row)
	}
	return labels
}

// text returns a value of a string or boolean field, "" for null.
func text(f *data.Field, row int) string {
	v, ok := f.ConcreteAt(row)
	if !ok {
		return ""
	}
	return fmt.Sprint(v)
}
