package expression

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// reduceSettings say how a reducer treats values that are not numbers: null, NaN and
// infinities.
type reduceSettings struct {
	Mode             string   `json:"mode"`
	ReplaceWithValue *float64 `json:"replaceWithValue"`
}

// reducer computes one value from the values of a series.
type reducer func(values []*float64) float64

// findReducer returns the reducer that a field names.
func findReducer(field, name string) (reducer, error) {
	return lookup(field, name, []named[reducer]{
		{"mean", strict(mean)}, {"min", strict(minimum)}, {"max", strict(maximum)}, {"sum", strict(sum)},
		{"median", strict(median)}, {"last", last}, {"count", count},
	})
}

func parseReduce(m *model) ([]string, operation, error) {
	refID, err := reference("expression", m.Expression)
	if err != nil {
		return nil, nil, err
	}
	reduce, err := findReducer("reducer", m.Reducer)
	if err != nil {
		return nil, nil, err
	}
	prepared, err := m.Settings.parse()
	if err != nil {
		return nil, nil, err
	}
	return []string{refID}, func(e *evaluation, _ TimeRange, inputs map[string]collection) (collection, error) {
		c, numbers := inputs[refID], 0
		out, err := e.transform(c, func(i item) item {
			if !i.series {
				numbers++
				return i
			}
			return number(i.labels, new(reduce(prepared(i.values))))
		})
		if numbers > 0 {
			out.notice(fmt.Sprintf("$%s already consists of numbers; they are returned unchanged", shorten(refID)))
		}
		return out, err
	}, nil
}

// prepare returns the values of a series to reduce.
type prepare func(values []*float64) []*float64

// parse returns what the mode does with the values.
func (s *reduceSettings) parse() (prepare, error) {
	if s == nil {
		s = &reduceSettings{}
	}
	mode := cmp.Or(s.Mode, "strict")
	f, err := lookup("settings.mode", mode, []named[prepare]{
		{"strict", func(values []*float64) []*float64 { return values }},
		{"dropNN", s.drop},
		{"replaceNN", s.replace},
	})
	if err == nil && mode == "replaceNN" && s.ReplaceWithValue == nil {
		err = problemf(`add a number, such as "replaceWithValue": 0`, "settings.replaceWithValue: required by the mode replaceNN")
	}
	return f, err
}

func (s *reduceSettings) drop(values []*float64) []*float64 {
	return slices.DeleteFunc(slices.Clone(values), func(v *float64) bool { return !isNumber(v) })
}

func (s *reduceSettings) replace(values []*float64) []*float64 {
	out := slices.Clone(values)
	for n, v := range out {
		if !isNumber(v) {
			out[n] = s.ReplaceWithValue
		}
	}
	return out
}

// strict returns a reducer that is NaN if a value is not a number.
func strict(f func([]float64) float64) reducer {
	return func(values []*float64) float64 {
		plain := make([]float64, len(values))
		for n, v := range values {
			if !isNumber(v) {
				return math.NaN()
			}
			plain[n] = *v
		}
		return f(plain)
	}
}

func count(values []*float64) float64 { return float64(len(values)) }

func last(values []*float64) float64 {
	if len(values) == 0 || values[len(values)-1] == nil {
		return math.NaN()
	}
	return *values[len(values)-1]
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) } // NaN if there are no values

func minimum(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return slices.Min(values)
}

func maximum(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return slices.Max(values)
}

// median sorts the values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
