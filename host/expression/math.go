package expression

import (
	"slices"
	"time"
)

func parseMath(m *model) ([]string, operation, error) {
	t, needs, err := parse(m.Expression)
	if err != nil {
		return nil, nil, err
	}
	return needs, func(e *evaluation, _ TimeRange, inputs map[string]collection) (collection, error) {
		for _, need := range needs {
			if c := inputs[need]; len(c.items) == 0 {
				return c, nil // a calculation with incomplete data would be misleading
			}
		}
		return e.eval(t, inputs)
	}, nil
}

// eval computes a tree. Its depth is bounded by the length of an expression.
func (e *evaluation) eval(t *tree, inputs map[string]collection) (collection, error) {
	switch {
	case t.constant != nil:
		return collection{items: []item{*t.constant}}, nil
	case t.variable != "":
		return inputs[t.variable], nil
	}
	var c collection
	var tuples []tuple
	for n, arg := range t.args {
		next, err := e.eval(arg, inputs)
		if err != nil {
			return collection{}, err
		}
		c.notice(next.notices...)
		if n == 0 {
			tuples = tuplesOf(next.items)
			continue
		}
		var notice string
		if tuples, notice, err = e.join(t.text, tuples, next.items); err != nil {
			return collection{}, err
		}
		if notice != "" {
			c.notice(notice)
		}
	}
	for _, args := range tuples {
		i, err := e.combine(args, t.apply)
		if err != nil {
			return collection{}, err
		}
		c.items = append(c.items, i)
	}
	return c, nil
}

// combine computes an item from others: a series if one of them is. It has the times
// that all series have.
func (e *evaluation) combine(t tuple, apply pointwise) (item, error) {
	var series []item
	least := 1 // a number counts as a point
	for _, i := range t.items {
		if !i.series {
			continue
		}
		if len(series) == 0 || len(i.times) < least {
			least = len(i.times)
		}
		series = append(series, i)
	}
	if err := e.spend(least); err != nil {
		return item{}, err
	}
	args := make([]*float64, len(t.items))
	if len(series) == 0 {
		for n, i := range t.items {
			args[n] = i.values[0]
		}
		return number(t.labels, apply(args)), nil
	}
	out := item{labels: t.labels, series: true, times: make([]time.Time, 0, least), values: make([]*float64, 0, least)}
	for at := make([]int, len(t.items)); ; {
		now, ok := meet(t.items, at)
		if !ok {
			break
		}
		for n, i := range t.items {
			args[n] = i.values[at[n]]
			if i.series {
				at[n]++
			}
		}
		out.times, out.values = append(out.times, now), append(out.values, apply(args))
	}
	if len(out.times) == len(series[0].times) {
		out.times = series[0].times // equal, and already in memory
	}
	return out, nil
}

// meet moves the positions forward to the next time that all series have. The position
// of a single number stays 0. All calls together make a few binary searches per series for
// each point of the shortest one.
func meet(items []item, at []int) (now time.Time, ok bool) {
	for isFirst := true; !ok; {
		ok = true
		for n, i := range items {
			if !i.series {
				continue
			}
			if !isFirst {
				later, _ := slices.BinarySearchFunc(i.times[at[n]:], now, time.Time.Compare)
				at[n] += later
			}
			if at[n] == len(i.times) {
				return now, false
			}
			if t := i.times[at[n]]; isFirst || t.After(now) {
				now, ok, isFirst = t, isFirst, false // the other series must have this time
			}
		}
	}
	return now, ok
}
