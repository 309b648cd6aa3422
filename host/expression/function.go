package expression

import (
	"math"
	"slices"
	"strings"
)

// pointwise computes a value from those of the arguments; nil is null.
type pointwise func(args []*float64) *float64

// mathFunction is a function of math expressions. It has one argument, or none and
// always the same value.
type mathFunction struct {
	apply    pointwise
	constant *item
}

// functions returns the functions of math expressions.
func functions() []named[mathFunction] {
	return []named[mathFunction]{
		{"abs", mathFunction{apply: one(math.Abs)}},
		{"ceil", mathFunction{apply: one(math.Ceil)}},
		{"floor", mathFunction{apply: one(math.Floor)}},
		{"round", mathFunction{apply: one(math.Round)}},
		{"log", mathFunction{apply: one(math.Log)}},
		{"is_inf", mathFunction{apply: test(func(v *float64) bool { return v != nil && math.IsInf(*v, 0) })}},
		{"is_nan", mathFunction{apply: test(func(v *float64) bool { return v != nil && math.IsNaN(*v) })}},
		{"is_null", mathFunction{apply: test(func(v *float64) bool { return v == nil })}},
		{"is_number", mathFunction{apply: test(isNumber)}},
		{"inf", mathFunction{constant: always(new(math.Inf(1)))}},
		{"infn", mathFunction{constant: always(new(math.Inf(-1)))}},
		{"nan", mathFunction{constant: always(new(math.NaN()))}},
		{"null", mathFunction{constant: always(nil)}},
	}
}

// function returns the function of a name.
func function(name string) (mathFunction, bool) {
	list := functions()
	n := slices.IndexFunc(list, func(f named[mathFunction]) bool { return f.name == name })
	if n < 0 {
		return mathFunction{}, false
	}
	return list[n].value, true
}

func functionNames() string {
	var names []string
	for _, f := range functions() {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

func always(value *float64) *item { return new(number(nil, value)) }

func isNumber(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }

func one(f func(float64) float64) pointwise {
	return func(args []*float64) *float64 {
		if args[0] == nil {
			return nil
		}
		return new(f(*args[0]))
	}
}

func two(f func(a, b float64) float64) pointwise {
	return func(args []*float64) *float64 {
		if args[0] == nil || args[1] == nil {
			return nil
		}
		return new(f(*args[0], *args[1]))
	}
}

func test(f func(*float64) bool) pointwise {
	return func(args []*float64) *float64 { return new(truth(f(args[0]))) }
}

// choose is a ? b : c. Only the value that is chosen may be null.
func choose(args []*float64) *float64 {
	switch c := args[0]; {
	case c == nil || math.IsNaN(*c):
		return c
	case *c != 0:
		return args[1]
	}
	return args[2]
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// compared is NaN if a value is: it is neither true nor false.
func compared(a, b float64, result bool) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return truth(result)
}

func equal(a, b float64) float64   { return compared(a, b, a == b) }
func unequal(a, b float64) float64 { return compared(a, b, a != b) }
func less(a, b float64) float64    { return compared(a, b, a < b) }
func greater(a, b float64) float64 { return compared(a, b, a > b) }
func atMost(a, b float64) float64  { return compared(a, b, a <= b) }
func atLeast(a, b float64) float64 { return compared(a, b, a >= b) }

func plus(a, b float64) float64     { return a + b }
func minus(a, b float64) float64    { return a - b }
func multiply(a, b float64) float64 { return a * b }
func divide(a, b float64) float64   { return a / b }

func negative(a float64) float64 { return -a }
func not(a float64) float64      { return compared(a, a, a == 0) }

// both and either ignore b if a determines the result.
func both(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return compared(a, b, b != 0)
}

func either(a, b float64) float64 {
	if a != 0 && !math.IsNaN(a) {
		return 1
	}
	return compared(a, b, b != 0)
}
