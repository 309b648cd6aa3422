package expression

import (
	"cmp"
	"fmt"
	"math"
)

// classicReducer computes one value from the values of a series, or null if it has none.
// The values may not be null or NaN; points counts all.
type classicReducer func(values []float64, points int) *float64

// condition is a parsed condition of classic_conditions.
type condition struct {
	refID    string
	reduce   classicReducer
	holds    predicate // nil for no_value
	operator string
}

func parseClassic(m *model) ([]string, operation, error) {
	if n := len(m.Conditions); n == 0 || n > maxConditions {
		return nil, nil, problemf("write at least one condition, or split the expression", "conditions: must be an array of 1 to %d conditions, found %d", maxConditions, n)
	}
	var needs []string
	var list []condition
	for n := range m.Conditions {
		c, err := m.Conditions[n].classic(fmt.Sprintf("conditions[%d]", n))
		if err != nil {
			return nil, nil, err
		}
		needs, list = add(needs, c.refID), append(list, c)
	}
	return needs, func(e *evaluation, _ TimeRange, inputs map[string]collection) (collection, error) {
		value, err := e.conditions(list, inputs)
		return collection{items: []item{number(nil, value)}}, err
	}, nil
}

// classic parses a condition.
func (m *conditionModel) classic(field string) (condition, error) {
	var name string
	if len(m.Query.Params) > 0 {
		name = m.Query.Params[0]
	}
	refID, err := reference(field+".query.params[0]", name)
	if err != nil {
		return condition{}, err
	}
	reduce, err := lookup(field+".reducer.type", m.Reducer.Type, classicReducers())
	if err != nil {
		return condition{}, err
	}
	holds, err := m.Evaluator.parse(field+".evaluator", append(comparisons(), named[comparison]{name: "no_value"}))
	if err != nil {
		return condition{}, err
	}
	operator, err := lookup(field+".operator.type", cmp.Or(m.Operator.Type, "and"), []named[string]{{"and", "and"}, {"or", "or"}, {"logic-or", "logic-or"}})
	return condition{refID, reduce, holds, operator}, err
}

// conditions combines conditions from left to right. The operator of the first one has
// no meaning. The result is 1, 0, or null if there is no data.
func (e *evaluation) conditions(list []condition, inputs map[string]collection) (*float64, error) {
	var holds, noData bool
	for n, c := range list {
		if n > 0 && c.operator == "logic-or" && holds {
			return new(1.0), nil
		}
		nextHolds, nextNoData, err := e.condition(c, inputs[c.refID])
		if err != nil {
			return nil, err
		}
		switch {
		case n == 0:
			holds, noData = nextHolds, nextNoData
		case c.operator == "or" || c.operator == "logic-or":
			holds, noData = holds || nextHolds, noData || nextNoData
		default:
			holds, noData = holds && nextHolds, noData && nextNoData
		}
	}
	if noData {
		return nil, nil
	}
	return new(truth(holds)), nil
}

// condition holds if it holds for one of the items. It has no data if no item has.
func (e *evaluation) condition(c condition, in collection) (holds, noData bool, err error) {
	noData = true
	for _, i := range in.items {
		if err := e.spend(len(i.values)); err != nil {
			return false, false, err
		}
		switch v := c.value(i); {
		case v == nil || math.IsNaN(*v):
			holds = holds || c.holds == nil
		case c.holds != nil:
			holds, noData = holds || c.holds(*v), false
		}
	}
	if c.holds == nil { // no_value has a result without data
		return holds || len(in.items) == 0, false, nil
	}
	return holds, noData, nil
}

// value reduces a series. A single number stays what it is.
func (c condition) value(i item) *float64 {
	if !i.series {
		return i.values[0]
	}
	return c.reduce(plain(i.values), len(i.values))
}

// plain returns the values that are not null or NaN.
func plain(values []*float64) []float64 {
	list := make([]float64, 0, len(values))
	for _, v := range values {
		if v != nil && !math.IsNaN(*v) {
			list = append(list, *v)
		}
	}
	return list
}

// classicReducers has the reducers of classic_conditions.
func classicReducers() []named[classicReducer] {
	return []named[classicReducer]{
		{"avg", some(mean)}, {"min", some(minimum)}, {"max", some(maximum)}, {"sum", some(sum)},
		{"count", func(_ []float64, points int) *float64 {
			if points == 0 {
				return nil
			}
			return new(float64(points))
		}},
		{"last", some(func(values []float64) float64 { return values[len(values)-1] })},
		{"median", some(median)},
		{"diff", some(difference)},
		{"diff_abs", some(func(values []float64) float64 { return math.Abs(difference(values)) })},
		{"percent_diff", some(percentage)},
		{"percent_diff_abs", some(func(values []float64) float64 { return math.Abs(percentage(values)) })},
		{"count_non_null", some(func(values []float64) float64 { return float64(len(values)) })},
	}
}

// some returns a reducer that is null without values.
func some(f func([]float64) float64) classicReducer {
	return func(values []float64, _ int) *float64 {
		if len(values) == 0 {
			return nil
		}
		return new(f(values))
	}
}

// difference returns the difference of the newest and the oldest value.
func difference(values []float64) float64 { return values[len(values)-1] - values[0] }

// percentage returns the difference in percent of the oldest value.
func percentage(values []float64) float64 { return difference(values) / math.Abs(values[0]) * 100 }
