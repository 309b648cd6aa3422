package expression

import (
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// collection is what a query or an expression resulted in.
type collection struct {
	items   []item
	notices []string // for the user
}

// item is a time series or a single number. Items may share slices and are never changed.
type item struct {
	labels data.Labels
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
func number(labels data.Labels, value *float64) item {
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
func (c collection) frames(refID string) data.Frames {
	list := make(data.Frames, 0, len(c.items))
	for _, i := range c.items {
		value := data.NewField(refID, i.labels, i.values)
		f, kind := data.NewFrame("", value), data.FrameTypeNumericMulti
		if i.series {
			f, kind = data.NewFrame("", data.NewField("Time", nil, i.times), value), data.FrameTypeTimeSeriesMulti
		}
		list = append(list, f.SetMeta(&data.FrameMeta{Type: kind, TypeVersion: data.FrameTypeVersion{0, 1}}))
	}
	if len(list) == 0 {
		list = data.Frames{data.NewFrame("")}
	}
	for _, text := range c.notices {
		list[0].AppendNotices(data.Notice{Severity: data.NoticeSeverityWarning, Text: text})
	}
	for _, f := range list {
		f.RefID = refID
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
