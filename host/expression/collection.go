package expression

import (
	"slices"
	"time"

	"github.com/slipway-dev/slipway/sdk/frame"
)

// collection is the result of a query or an expression.
type collection struct {
	items   []item
	notices []string // for the user
}

// item is a time series or a single number. Items may share slices and are never changed.
type item struct {
	labels map[string]string
	series bool
	times  []time.Time // of a series, ascending
	values []*float64  // one per time, or the single number; nil is null
}

// notice adds a notice, up to a few.
func (c *collection) notice(texts ...string) {
	const most = 10
	for _, text := range texts {
		if len(c.notices) < most {
			c.notices = add(slices.Clip(c.notices), text)
		}
	}
}

// number returns a single number.
func number(labels map[string]string, value *float64) item {
	return item{labels: labels, values: []*float64{value}}
}

// transform returns a collection with an item for each of c.
func (e *evaluation) transform(c collection, f func(item) item) (collection, error) {
	out := collection{notices: c.notices}
	for _, in := range c.items {
		if err := e.spend(len(in.values)); err != nil {
			return collection{}, err
		}
		out.items = append(out.items, f(in))
	}
	return out, nil
}

// frames returns a frame per item, in the form that panels draw: a time and a value
// field, or a value field with one row. Without items, it returns a frame without
// fields.
func (c collection) frames(refID string) []*frame.Frame {
	list := make([]*frame.Frame, 0, len(c.items))
	for _, i := range c.items {
		value := frame.Of(refID, i.values)
		value.Labels = i.labels
		f := &frame.Frame{RefID: refID, Meta: &frame.Meta{Type: frame.NumericMulti, TypeVersion: [2]uint{0, 1}}, Fields: []frame.Field{value}}
		if i.series {
			f.Meta.Type, f.Fields = frame.TimeSeriesMulti, []frame.Field{frame.Of("Time", i.times), value}
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		list = []*frame.Frame{{RefID: refID}}
	}
	if len(c.notices) > 0 && list[0].Meta == nil {
		list[0].Meta = &frame.Meta{}
	}
	for _, text := range c.notices {
		list[0].Meta.Notices = append(list[0].Meta.Notices, frame.Notice{Severity: frame.SeverityWarning, Text: text})
	}
	return list
}

// sorted returns a series whose points are sorted by time. Points at the same time keep
// their order.
func sorted(i item) item {
	if slices.IsSortedFunc(i.times, time.Time.Compare) {
		return i
	}
	order := make([]int, len(i.times))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return i.times[a].Compare(i.times[b]) })
	out := item{labels: i.labels, series: true, times: make([]time.Time, len(order)), values: make([]*float64, len(order))}
	for n, from := range order {
		out.times[n], out.values[n] = i.times[from], i.values[from]
	}
	return out
}
