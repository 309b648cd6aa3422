package expression_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMath requires the published semantics of math.
func TestMath(t *testing.T) {
	t.Parallel()
	const hosts = "{host=a} 0:1 10:2; {host=b} 0:3 10:4"
	for _, test := range []struct{ name, a, b, expression, want string }{
		// Constants and operators.
		{"decimal", "", "", "2.24 + 0", "2.24"},
		{"octal", "", "", "072", "58"},
		{"hexadecimal", "", "", "0x2A", "42"},
		{"exponent and sign", "", "", "-0.8e-2", "-0.008"},
		{"plus and minus", "", "", "1 + 2 - 4", "-1"},
		{"precedence", "", "", "1 + 2 * 3 ** 2", "19"},
		{"parentheses", "", "", "(1 + 2) * 3", "9"},
		{"divide from the left", "", "", "100 / 10 / 5", "2"},
		{"modulo", "", "", "7 % 4", "3"},
		{"power from the left", "", "", "2 ** 3 ** 2", "64"},
		{"a sign binds tighter than a power", "", "", "-2 ** 2", "4"},
		{"double negation", "", "", "- -1", "1"},
		{"divide by zero", "", "", "1 / 0", "+Inf"},
		{"zero by zero", "", "", "0 / 0", "NaN"},
		{"relations", "", "", "(1 < 2) + (2 > 1) + (1 <= 1) + (1 >= 1) + (1 == 1) + (1 != 2)", "6"},
		{"false is 0", "", "", "1 > 2", "0"},
		{"relations after sums", "", "", "1 + 1 == 2", "1"},
		{"and before or", "", "", "1 || 0 && 0", "1"},
		{"not", "", "", "!0 + !5", "1"},
		{"choice", "", "", "2 > 1 ? 10 : 20", "10"},
		{"choice from the right", "", "", "0 ? 1 : 0 ? 2 : 3", "3"},
		// NaN, null and infinities.
		{"NaN in a sum", "", "", "nan() + 1", "NaN"},
		{"NaN is not equal to NaN", "", "", "nan() == nan()", "NaN"},
		{"true or NaN", "", "", "1 || nan()", "1"},
		{"false and NaN", "", "", "0 && nan()", "0"},
		{"NaN or true", "", "", "nan() || 1", "NaN"},
		{"not NaN", "", "", "!nan()", "NaN"},
		{"null in a sum", "", "", "null() + 1", "null"},
		{"not null", "", "", "!null()", "null"},
		{"infinities", "", "", "inf() == -infn()", "1"},
		{"is_nan", "", "", "is_nan(nan()) + is_nan(null()) + is_nan(inf())", "1"},
		{"is_null", "", "", "is_null(null()) + is_null(nan())", "1"},
		{"is_inf", "", "", "is_inf(inf()) + is_inf(infn()) + is_inf(nan()) + is_inf(1)", "2"},
		{"is_number", "", "", "is_number(1) + is_number(nan()) + is_number(inf()) + is_number(null())", "1"},
		{"the other branch may be null", "", "", "is_number(null()) ? null() : 7", "7"},
		{"choice by null", "", "", "null() ? 1 : 2", "null"},
		// Functions.
		{"abs", "", "", "abs(-1)", "1"},
		{"log", "", "", "log(1)", "0"},
		{"log of a negative number", "", "", "log(-1)", "NaN"},
		{"log of zero", "", "", "log(0)", "-Inf"},
		{"round", "", "", "round(3.123) + round(3.5)", "7"},
		{"ceil", "", "", "ceil(3.123)", "4"},
		{"floor", "", "", "floor(3.823)", "3"},
		{"function of null", "", "", "abs(null())", "null"},
		{"function of a series", "{host=a} 0:-1 10:null 20:NaN", "", "abs($A)", "{host=a} 0:1 10:null 20:NaN"},
		{"is_null of a series", "0:1 10:null 20:NaN", "", "is_null($A)", "0:0 10:1 20:0"},
		// Numbers and series.
		{"number and number", "3", "4", "$A * $B", "12"},
		{"series and constant", "0:1 10:2", "", "$A * 100", "0:100 10:200"},
		{"constant and series", "0:1 10:2", "", "100 - $A", "0:99 10:98"},
		{"series and number", "0:1 10:2", "5", "$A + $B", "0:6 10:7"},
		{"number and series", "5", "0:1 10:2", "$A - $B", "0:4 10:3"},
		{"series and series", "0:1 10:2", "0:10 10:20", "$A + $B", "0:11 10:22"},
		{"references in braces", "0:1", "0:2", "${A} + ${B}", "0:3"},
		{"the same reference twice", "0:3 10:4", "", "$A * $A", "0:9 10:16"},
		{"choice by a series", "0:1 10:0 20:null", "0:5 10:6 20:7", "$A > 0 ? $B : -1", "0:5 10:-1 20:null"},
		{"comparison of a series", "0:81 10:80 20:null 30:NaN", "", "$A > 80", "0:1 10:0 20:null 30:NaN"},
		// Points that only one series has.
		{"missing points", "0:1 10:2 20:3", "10:10 20:20 30:30", "$A + $B", "10:12 20:23"},
		{"no common time", "0:1 20:2", "10:1 30:2", "$A + $B", "[]"},
		{"three series", "0:1 10:2 20:3", "10:10 20:20 30:30", "$A > 2 ? $A : $B", "10:10 20:3"},
		{"one late point", "0:1 10:2 20:3 30:4", "30:10", "$A - $B", "30:-6"},
		{"one early point", "10:10", "0:1 10:2 20:3 30:4", "$A - $B", "10:8"},
		{"a late point of three series", "0:1 20:2 40:3 60:4", "10:5 30:6 50:7 60:8", "$A > $B ? $A : ($A > 3 ? $B : $A)", "60:8"},
		{"null is a point", "0:1 10:null", "0:1 10:1", "$A + $B", "0:2 10:null"},
		{"times are sorted", "10:2 0:1", "0:10 10:20", "$A + $B", "0:11 10:22"},
		{"empty series", "[]", "", "$A + 1", "[]"},
		// Unions.
		{"equal labels", hosts, "{host=b} 10; {host=a} 20", "$A + $B", "{host=a} 0:21 10:22; {host=b} 0:13 10:14"},
		{"no labels on the right", hosts, "100", "$A + $B", "{host=a} 0:101 10:102; {host=b} 0:103 10:104"},
		{"no labels on the left", "100", hosts, "$A - $B", "{host=a} 0:99 10:98; {host=b} 0:97 10:96"},
		{"subset on the right", "{host=a,dc=x} 1; {host=a,dc=y} 2; {host=b,dc=x} 3", "{host=a} 10; {host=b} 20", "$A + $B",
			"{dc=x,host=a} 11; {dc=x,host=b} 23; {dc=y,host=a} 12"},
		{"subset on the left", "{host=a} 10; {host=b} 20", "{host=a,dc=x} 1; {host=a,dc=y} 2; {host=b,dc=x} 3", "$A - $B",
			"{dc=x,host=a} 9; {dc=x,host=b} 17; {dc=y,host=a} 8"},
		{"one item each", "{host=a} 1", "{server=b} 2", "$A + $B", "{host=a} 3"},
		{"same keys, other values", "{host=a} 1; {host=b} 2", "{host=b} 10; {host=c} 20", "$A + $B",
			"{host=b} 12 (+ left out 2 of 4 series or numbers, because the other side has nothing with matching labels; one of them has the labels {host=c})"},
		{"nothing matches", "{host=a} 1; {host=b} 2", "{server=a} 3", "$A + $B",
			"(+ left out 3 of 3 series or numbers, because the other side has nothing with matching labels; one of them has the labels {server=a})"},
		{"one item that matches nothing", "{server=a} 3", "{host=a} 1; {host=b} 2", "$A + $B",
			"(+ left out 3 of 3 series or numbers, because the other side has nothing with matching labels; one of them has the labels {host=b})"},
		{"some without labels", "{host=a} 1; 2", "{host=a} 10; {host=b} 20", "$A + $B", "{host=a} 11; {host=a} 12; {host=b} 22"},
		{"the result of a union", "{host=a} 1; {host=b} 2", "{host=a} 3; {host=b} 4", "($A + $B) * $B", "{host=a} 12; {host=b} 24"},
		// No data.
		{"no data", "", "", "$A + 1", ""},
		{"no data on one side", "1", "", "$A + $B", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model, err := json.Marshal(map[string]string{"type": "math", "expression": test.expression})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, evaluate(t, test.a, test.b, string(model))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.expression, diff)
			}
		})
	}
}

// TestMathErrors requires that an error states the column and what to do.
func TestMathErrors(t *testing.T) {
	t.Parallel()
	const operands = "\nhelp: operands are numbers, references such as $A, and functions such as abs($A)"
	const incomplete = "\nhelp: complete the expression, or remove the last operator"
	const numbers = "\nhelp: write a decimal number such as 2.24 or 8e-2, an octal one such as 072, or a hexadecimal one such as 0x2A"
	noName := func(column int) string {
		return fmt.Sprintf("expression: column %d: reference without a name\nhelp: write a refId, such as $A, or ${A b} for one with a space", column)
	}
	for expression, want := range map[string]string{
		"":           `expression: column 1: expected a number, a reference or a function, found the end` + incomplete,
		"1 +":        `expression: column 4: expected a number, a reference or a function, found the end` + incomplete,
		"(1":         `expression: column 3: expected ")", found the end` + incomplete,
		"1 2":        `expression: column 3: expected an operator, found "2"` + operands,
		"1)":         `expression: column 2: expected an operator, found ")"` + operands,
		"* 2":        `expression: column 1: expected a number, a reference or a function, found "*"` + operands,
		"1 ? 2":      `expression: column 6: expected ":", found the end` + incomplete,
		"abs 1":      `expression: column 5: expected "(", found "1"` + operands,
		"nan(1)":     `expression: column 5: expected ")", found "1"` + operands,
		"08":         `expression: column 1: invalid number "08"` + numbers,
		"1 + 1e999":  `expression: column 5: invalid number "1e999"` + numbers,
		"1.2.3":      `expression: column 1: invalid number "1.2.3"` + numbers,
		"ä + 1":      "expression: column 1: function \"ä\" not found\nhelp: the functions are abs, ceil, floor, round, log, is_inf, is_nan, is_null, is_number, inf, infn, nan, null; a reference starts with $",
		"'ä' + 1":    "expression: column 1: unexpected character '\\''\nhelp: the operators are + - * / % ** == != < > <= >= && || ! and ?:",
		"1 + ${A b":  "expression: column 5: unclosed ${\nhelp: close it with }",
		"1 + ${ }":   "expression: column 5: reference without a name\nhelp: write a refId, such as ${A}",
		"1 ? 2 : *":  `expression: column 9: expected a number, a reference or a function, found "*"` + operands,
		"${ä} + *":   `expression: column 8: expected a number, a reference or a function, found "*"` + operands,
		"1 ? $":      noName(5),
		"1 ? 2 : $":  noName(9),
		"1 + ($":     noName(6),
		"-$":         noName(2),
		"abs $":      noName(5),
		"abs($":      noName(5),
		"1 + $":      noName(5),
		"1 $":        noName(3),
		"$ + 1":      "expression: column 1: reference without a name\nhelp: write a refId, such as $A, or ${A b} for one with a space",
		"$a + $B":    "$a not found\nhelp: names are case-sensitive; this request has A, B, E",
		"$A + $E":    "the expression refers to itself: $E -> $E\nhelp: remove one of these references",
		"1 + ${A b}": "$A b not found\nhelp: names are case-sensitive; this request has A, B, E",
	} {
		model, err := json.Marshal(map[string]string{"type": "math", "expression": expression})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, evaluate(t, "1", "2", string(model))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
}
