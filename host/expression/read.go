package expression

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk/frame"
)

const needShape = "return a time field with number fields, optionally with string fields that become labels, or a table of string fields and one number field"

// readFrames converts the frames of a query.
func (e *evaluation) readFrames(refID string, frames []*frame.Frame) (collection, error) {
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
	frame *frame.Frame
	time  func(row int) *time.Time // or nil
	texts []field[string]          // which become labels
	nums  []field[*float64]

	items []item
	names []string // of the fields, one per item
}

func (r *reader) read() error {
	rows := r.frame.Fields[0].Len()
	for n, f := range r.frame.Fields {
		if f.Len() != rows {
			return fmt.Errorf("cannot read %s: field 0 has %d rows, but field %d has %d", r.where, rows, n, f.Len())
		}
		timeAt, textAt, numberAt := times(f), texts(f), numbers(f)
		switch {
		case timeAt != nil && r.time == nil:
			r.time = timeAt
		case textAt != nil:
			r.texts = append(r.texts, field[string]{f.Head(), textAt})
		case numberAt != nil:
			r.nums = append(r.nums, field[*float64]{f.Head(), numberAt})
		}
	}
	switch {
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

func fieldNames(fields []field[*float64]) string {
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
func (r *reader) series(labels map[string]string, rows []int) error {
	times := make([]time.Time, len(rows))
	for n, row := range rows {
		times[n] = *r.time(row)
	}
	for _, f := range r.nums {
		if err := r.spend(len(rows)); err != nil {
			return err
		}
		r.add(f, sorted(item{labels: merge(labels, f.Labels), series: true, times: times, values: f.values(rows...)}))
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
			r.add(f, item{labels: merge(labels, f.Labels), values: f.values(row)})
		}
	}
	return nil
}

func (r *reader) add(f field[*float64], i item) {
	r.items, r.names = append(r.items, i), append(r.names, f.Name)
}

// timed returns the rows whose time is not null.
func (r *reader) timed(rows int) []int {
	list := make([]int, 0, rows)
	for row := range rows {
		if r.time(row) != nil {
			list = append(list, row)
		}
	}
	return list
}

// key identifies the strings of a row.
func (r *reader) key(row int) string {
	var b strings.Builder
	for _, f := range r.texts {
		fmt.Fprintf(&b, "%q,", f.at(row))
	}
	return b.String()
}

func (r *reader) labels(row int) map[string]string {
	labels := map[string]string{}
	for _, f := range r.texts {
		labels[f.Name] = f.at(row)
	}
	return labels
}
