package expression_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReduce requires the published semantics of reduce.
func TestReduce(t *testing.T) {
	t.Parallel()
	const gaps = "{host=a} 0:1 10:null 20:NaN 30:Inf 40:5"
	const drop, replace = `, "settings": {"mode": "dropNN"}`, `, "settings": {"mode": "replaceNN", "replaceWithValue": -2}`
	for _, test := range []struct{ name, a, reducer, settings, want string }{
		{"mean", "{host=a} 0:1 10:2; {host=b} 0:3 10:5", "mean", "", "{host=a} 1.5; {host=b} 4"},
		{"min", "0:3 10:1 20:2", "min", "", "1"},
		{"max", "0:3 10:1 20:2", "max", "", "3"},
		{"sum", "0:3 10:1 20:2", "sum", "", "6"},
		{"count", "0:3 10:1 20:2", "count", "", "3"},
		{"last", "10:1 20:2 0:3", "last", "", "2"},
		{"median of an odd number", "0:3 10:1 20:2", "median", "", "2"},
		{"median of an even number", "0:3 10:1 20:2 30:10", "median", "", "2.5"},
		{"strict by name", "0:1 10:2", "sum", `, "settings": {"mode": "strict"}`, "3"},
		{"strict mean with null", "0:1 10:null", "mean", "", "NaN"},
		{"strict min with NaN", "0:1 10:NaN", "min", "", "NaN"},
		{"strict max with null", "0:1 10:null", "max", "", "NaN"},
		{"strict sum with null", "0:1 10:null", "sum", "", "NaN"},
		{"strict median with NaN", "0:1 10:NaN", "median", "", "NaN"},
		{"strict sum with Inf", "0:1 10:Inf", "sum", "", "NaN"},
		{"strict count with null", "0:1 10:null", "count", "", "2"},
		{"strict last after null", "0:null 10:2", "last", "", "2"},
		{"strict last of null", "0:1 10:null", "last", "", "NaN"},
		{"empty mean", "[]", "mean", "", "NaN"},
		{"empty min", "[]", "min", "", "NaN"},
		{"empty max", "[]", "max", "", "NaN"},
		{"empty median", "[]", "median", "", "NaN"},
		{"empty last", "[]", "last", "", "NaN"},
		{"empty sum", "[]", "sum", "", "0"},
		{"empty count", "[]", "count", "", "0"},
		{"drop, mean", gaps, "mean", drop, "{host=a} 3"},
		{"drop, count", gaps, "count", drop, "{host=a} 2"},
		{"drop, last", "0:1 10:null", "last", drop, "1"},
		{"drop everything", "0:null 10:NaN", "mean", drop, "NaN"},
		{"replace, sum", gaps, "sum", replace, "{host=a} 0"},
		{"replace, min", gaps, "min", replace, "{host=a} -2"},
		{"replace, count", gaps, "count", replace, "{host=a} 5"},
		{"replace, last", "0:1 10:null", "last", replace, "-2"},
		{"numbers", "{host=a} 5", "count", "", "{host=a} 5 ($A already consists of numbers; they are returned unchanged)"},
		{"no data", "", "mean", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := `{"type": "reduce", "expression": "$A", "reducer": "` + test.reducer + `"` + test.settings + `}`
			if diff := cmp.Diff(test.want, evaluate(t, test.a, "", model)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", model, diff)
			}
		})
	}
}

// TestResample requires the published semantics of resample. The time range is 0 to 40.
func TestResample(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, a, window, down, up, want string }{
		{"the same times", "0:1 10:2 20:3 30:4 40:5", "10s", "mean", "fillna", "0:1 10:2 20:3 30:4 40:5"},
		{"shifted times", "5:1 15:2 25:3 35:4", "10s", "mean", "fillna", "0:NaN 10:1 20:2 30:3 40:4"},
		{"downsample with mean", "{host=a} 0:1 10:2 20:4 30:5 40:7", "20s", "mean", "fillna", "{host=a} 0:1 20:3 40:6"},
		{"downsample with min", "0:1 10:2 20:4 30:5 40:7", "20s", "min", "fillna", "0:1 20:2 40:5"},
		{"downsample with max", "0:1 10:2 20:4 30:5 40:7", "20s", "max", "fillna", "0:1 20:4 40:7"},
		{"downsample with sum", "0:1 10:2 20:4 30:5 40:7", "20s", "sum", "fillna", "0:1 20:6 40:12"},
		{"downsample with last", "0:1 10:2 20:4 30:5 40:7", "20s", "last", "fillna", "0:1 20:4 40:7"},
		{"downsample with count", "0:1 10:2 20:4 30:5 40:7", "20s", "count", "fillna", "0:1 20:2 40:2"},
		{"downsample with null", "0:1 10:null 20:4", "20s", "sum", "fillna", "0:1 20:NaN 40:NaN"},
		{"fill with NaN", "0:1 30:4", "10s", "mean", "fillna", "0:1 10:NaN 20:NaN 30:4 40:NaN"},
		{"fill with the last value", "10:1 30:4", "10s", "mean", "pad", "0:null 10:1 20:1 30:4 40:4"},
		{"fill with the last of several values", "0:1 10:2 20:3", "20s", "mean", "pad", "0:1 20:2.5 40:3"},
		{"fill with the next value", "10:1 30:4", "10s", "mean", "backfilling", "0:1 10:1 20:4 30:4 40:null"},
		{"window in minutes", "0:1 40:3", "0.5m", "mean", "pad", "0:1 30:1"},
		{"compound window", "0:1 40:3", "19s1000ms", "mean", "pad", "0:1 20:1 40:3"},
		{"points before the range", "-20:1 -10:3 20:5", "20s", "mean", "pad", "0:2 20:5 40:5"},
		{"empty series", "{host=a} []", "20s", "mean", "pad", "{host=a} 0:null 20:null 40:null"},
		{"no data", "", "20s", "mean", "pad", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := `{"type": "resample", "expression": "A", "window": "` + test.window + `", "downsampler": "` + test.down + `", "upsampler": "` + test.up + `"}`
			if diff := cmp.Diff(test.want, evaluate(t, test.a, "", model)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", model, diff)
			}
		})
	}
}

// TestThreshold compares the values 0 to 6, and values that are not numbers.
func TestThreshold(t *testing.T) {
	t.Parallel()
	const values = "0:0 1:2 2:3 3:4 4:6 5:null 6:NaN 7:Inf"
	for _, test := range []struct{ name, evaluator, want string }{
		{"above", `{"type": "gt", "params": [3]}`, "0:0 1:0 2:0 3:1 4:1 5:null 6:0 7:1"},
		{"below", `{"type": "lt", "params": [3]}`, "0:1 1:1 2:0 3:0 4:0 5:null 6:0 7:0"},
		{"equal", `{"type": "eq", "params": [3]}`, "0:0 1:0 2:1 3:0 4:0 5:null 6:0 7:0"},
		{"not equal", `{"type": "ne", "params": [3]}`, "0:1 1:1 2:0 3:1 4:1 5:null 6:1 7:1"},
		{"at least", `{"type": "gte", "params": [3]}`, "0:0 1:0 2:1 3:1 4:1 5:null 6:0 7:1"},
		{"at most", `{"type": "lte", "params": [3]}`, "0:1 1:1 2:1 3:0 4:0 5:null 6:0 7:0"},
		{"within", `{"type": "within_range", "params": [2, 4]}`, "0:0 1:0 2:1 3:0 4:0 5:null 6:0 7:0"},
		{"outside", `{"type": "outside_range", "params": [2, 4]}`, "0:1 1:0 2:0 3:0 4:1 5:null 6:0 7:1"},
		{"within, included", `{"type": "within_range_included", "params": [2, 4]}`, "0:0 1:1 2:1 3:1 4:0 5:null 6:0 7:0"},
		{"outside, included", `{"type": "outside_range_included", "params": [2, 4]}`, "0:1 1:1 2:0 3:1 4:1 5:null 6:0 7:1"},
		{"constants in the other order", `{"type": "within_range", "params": [4, 2]}`, "0:0 1:0 2:1 3:0 4:0 5:null 6:0 7:0"},
		{"another constant that is not used", `{"type": "gt", "params": [3, 0]}`, "0:0 1:0 2:0 3:1 4:1 5:null 6:0 7:1"},
		{"with a recovery threshold, but no state", `{"type": "gt", "params": [3]}, "unloadEvaluator": {"type": "lt", "params": [1]}`, "0:0 1:0 2:0 3:1 4:1 5:null 6:0 7:1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := `{"type": "threshold", "expression": "A", "conditions": [{"evaluator": ` + test.evaluator + `}]}`
			if diff := cmp.Diff(test.want, evaluate(t, values, "", model)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", model, diff)
			}
		})
	}
	const numbers = `{"type": "threshold", "expression": "${A}", "conditions": [{"evaluator": {"type": "gt", "params": [3]}, "loadedDimensions": null}]}`
	if diff := cmp.Diff("{host=a} 0; {host=b} 1; {host=c} null", evaluate(t, "{host=a} 1; {host=b} 4; {host=c} null", "", numbers)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// TestClassicReducers requires that a reducer of classic_conditions has a value.
func TestClassicReducers(t *testing.T) {
	t.Parallel()
	const values = "0:-4 1:null 2:1 3:NaN 4:3 5:-6"
	for reducer, want := range map[string]string{
		"avg": "-1.5", "min": "-6", "max": "3", "sum": "-6", "count": "6", "last": "-6", "median": "-1.5",
		"diff": "-2", "diff_abs": "2", "percent_diff": "-50", "percent_diff_abs": "50", "count_non_null": "4",
	} {
		model := `{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "` + reducer + `"}, "evaluator": {"type": "eq", "params": [` + want + `]}}]}`
		if got := evaluate(t, values, "", model); got != "1" {
			t.Errorf("%s is not %s: the condition is %s", reducer, want, got)
		}
		if got := evaluate(t, "[]", "", model); got != "null" {
			t.Errorf("the condition with the %s of an empty series is %s, want null", reducer, got)
		}
		want := map[bool]string{true: "0", false: "null"}[reducer == "count"] // count counts nulls, too
		if got := evaluate(t, "0:null 1:NaN", "", model); got != want {
			t.Errorf("the condition with the %s of no values is %s, want %s", reducer, got, want)
		}
	}
}

// TestClassicConditions combines conditions.
func TestClassicConditions(t *testing.T) {
	t.Parallel()
	above := func(refID, operator string) string {
		return `{"query": {"params": ["` + refID + `", "5m", "now"]}, "reducer": {"type": "last"}, "evaluator": {"type": "gt", "params": [10]}, "operator": {"type": "` + operator + `"}}`
	}
	empty := func(refID, operator string) string {
		return `{"query": {"params": ["` + refID + `"]}, "reducer": {"type": "last"}, "evaluator": {"type": "no_value", "params": []}, "operator": {"type": "` + operator + `"}}`
	}
	for _, test := range []struct{ name, a, b, conditions, want string }{
		{"one series holds", "{host=a} 0:1; {host=b} 0:20", "", above("A", "and"), "1"},
		{"no series holds", "{host=a} 0:1; {host=b} 0:2", "", above("A", "and"), "0"},
		{"some series have no data", "{host=a} 0:null; {host=b} 0:2", "", above("A", "and"), "0"},
		{"a number", "11", "", above("A", "and"), "1"},
		{"both of two", "0:20", "0:20", above("A", "and") + "," + above("B", "and"), "1"},
		{"one of two", "0:20", "0:1", above("A", "and") + "," + above("B", "and"), "0"},
		{"either of two", "0:1", "0:20", above("A", "and") + "," + above("B", "or"), "1"},
		{"without an operator", "0:1", "0:20", above("A", "") + "," + above("B", ""), "0"},
		{"from left to right", "0:20", "0:1", above("A", "and") + "," + above("A", "or") + "," + above("B", "and"), "0"},
		{"logic-or ends", "0:20", "0:1", above("A", "and") + "," + above("A", "logic-or") + "," + above("B", "and"), "1"},
		{"logic-or goes on", "0:1", "0:20", above("A", "and") + "," + above("B", "logic-or") + "," + above("B", "and"), "1"},
		{"no data", "", "", above("A", "and"), "null"},
		{"empty series", "[]", "", above("A", "and"), "null"},
		{"no data or true", "", "0:20", above("A", "and") + "," + above("B", "or"), "null"},
		{"no data and true", "", "0:20", above("A", "and") + "," + above("B", "and"), "0"},
		{"no value", "", "", empty("A", "and"), "1"},
		{"no value of empty series", "{host=a} []; {host=b} 0:null", "", empty("A", "and"), "1"},
		{"no value of one series", "{host=a} []; {host=b} 0:1", "", empty("A", "and"), "1"},
		{"values", "0:1", "", empty("A", "and"), "0"},
		{"no value or true", "", "0:20", empty("A", "and") + "," + above("B", "or"), "1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := `{"type": "classic_conditions", "conditions": [` + test.conditions + `]}`
			if diff := cmp.Diff(test.want, evaluate(t, test.a, test.b, model)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", model, diff)
			}
		})
	}
}

// TestInvalidModels requires that an error names the field and says what to do.
func TestInvalidModels(t *testing.T) {
	t.Parallel()
	const reducers = "mean, min, max, sum, median, last, count"
	const evaluator = `"evaluator": {"type": "gt", "params": [1]}`
	for model, want := range map[string]string{
		`[]`:             "expression query: must not be a JSON array",
		`{"type": 1}`:    "type: must not be a JSON number",
		`{`:              "invalid JSON: unexpected end of JSON input",
		`{}`:             "type: \"\" not found\nhelp: use one of math, reduce, resample, threshold, classic_conditions",
		`{"type":"sql"}`: "type: this host has no SQL expressions\nhelp: use the types math, reduce and resample, or let the data source compute the result",

		`{"type": "reduce"}`: "expression: reference is missing\nhelp: write the refId of a query or an expression, such as A",
		`{"type": "reduce", "expression": "A", "reducer": "mode"}`:                                              "reducer: \"mode\" not found\nhelp: use one of " + reducers,
		`{"type": "reduce", "expression": "A", "reducer": "sum", "settings": {"mode": "keep"}}`:                 "settings.mode: \"keep\" not found\nhelp: use one of strict, dropNN, replaceNN",
		`{"type": "reduce", "expression": "A", "reducer": "sum", "settings": {"mode": "replaceNN"}}`:            "settings.replaceWithValue: required by the mode replaceNN\nhelp: add a number, such as \"replaceWithValue\": 0",
		`{"type": "reduce", "expression": "C", "reducer": "sum"}`:                                               "$C not found\nhelp: names are case-sensitive; this request has A, B, E",
		`{"type": "resample", "expression": ""}`:                                                                "expression: reference is missing\nhelp: write the refId of a query or an expression, such as A",
		`{"type": "resample", "expression": "A", "window": "10"}`:                                               "window: invalid duration \"10\"\nhelp: write a number with one of the units ms, s, m, h, d, w and y, such as 10s",
		`{"type": "resample", "expression": "A", "window": "-1s"}`:                                              "window: invalid duration \"-1s\"\nhelp: write a number with one of the units ms, s, m, h, d, w and y, such as 10s",
		`{"type": "resample", "expression": "A", "window": "900y"}`:                                             "window: invalid duration \"900y\"\nhelp: write a number with one of the units ms, s, m, h, d, w and y, such as 10s",
		`{"type": "resample", "expression": "A", "window": "1y1w1d", "downsampler": "sum", "upsampler": "pad"}`: "window: 8952h0m0s is longer than the time range\nhelp: use a shorter window",
		`{"type": "resample", "expression": "A", "window": "5us", "downsampler": "sum", "upsampler": "pad"}`:    "window: 5µs divides the time range into too many samples: the expressions of a request may compute at most 10000 points\nhelp: use a longer window or a shorter time range",
		`{"type": "resample", "expression": "A", "window": "1s"}`:                                               "downsampler: \"\" not found\nhelp: use one of " + reducers,
		`{"type": "resample", "expression": "A", "window": "1s", "downsampler": "sum"}`:                         "upsampler: \"\" not found\nhelp: use one of pad, backfilling, fillna",
		`{"type": "resample", "expression": "A", "window": "1h", "downsampler": "sum", "upsampler": "pad"}`:     "window: 1h0m0s is longer than the time range\nhelp: use a shorter window",
		`{"type": "resample", "expression": "B", "window": "1s", "downsampler": "sum", "upsampler": "pad"}`:     "$B contains a number, not a time series\nhelp: resample time series",
		`{"type": "resample", "expression": "A", "window": "1ns", "downsampler": "sum", "upsampler": "pad"}`:    "window: 1ns divides the time range into too many samples: the expressions of a request may compute at most 10000 points\nhelp: use a longer window or a shorter time range",

		`{"type": "threshold", "expression": "A"}`:                                                                         "conditions: a threshold has 1, found 0\nhelp: write one, such as [{\"evaluator\": {\"type\": \"gt\", \"params\": [10]}}]",
		`{"type": "threshold", "expression": "A", "conditions": [{}]}`:                                                     "conditions[0].evaluator: required\nhelp: add one, such as {\"type\": \"gt\", \"params\": [10]}",
		`{"type": "threshold", "expression": "A", "conditions": [{"evaluator": {"type": "above"}}]}`:                       "conditions[0].evaluator.type: \"above\" not found\nhelp: use one of gt, lt, eq, ne, gte, lte, within_range, outside_range, within_range_included, outside_range_included",
		`{"type": "threshold", "expression": "A", "conditions": [{"evaluator": {"type": "within_range", "params": [1]}}]}`: "conditions[0].evaluator.params: within_range needs 2, found 1\nhelp: add the constants to compare with",
		`{"type": "threshold", "expression": "A", "conditions": [{` + evaluator + `, "unloadEvaluator": {"type": "lt"}}]}`: "conditions[0].unloadEvaluator.params: lt needs 1, found 0\nhelp: add the constants to compare with",
		`{"type": "threshold", "expression": "A", "conditions": [{` + evaluator + `, "loadedDimensions": {}}]}`:            "conditions[0].loadedDimensions: this is the state of an alert, and this host does not evaluate alerts\nhelp: remove it",

		`{"type": "classic_conditions"}`:                     "conditions: must be an array of 1 to 100 conditions, found 0\nhelp: write at least one condition, or split the expression",
		`{"type": "classic_conditions", "conditions": [{}]}`: "conditions[0].query.params[0]: reference is missing\nhelp: write the refId of a query or an expression, such as A",
		`{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "first"}}]}`:                                               "conditions[0].reducer.type: \"first\" not found\nhelp: use one of avg, min, max, sum, count, last, median, diff, diff_abs, percent_diff, percent_diff_abs, count_non_null",
		`{"type": "classic_conditions", "conditions": [{"query": {"params": [1]}}]}`:                                                                               "conditions.query.params: must not be a JSON number",
		`{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "evaluator": {"type": "is"}}]}`:                    "conditions[0].evaluator.type: \"is\" not found\nhelp: use one of gt, lt, eq, ne, gte, lte, within_range, outside_range, within_range_included, outside_range_included, no_value",
		`{"type": "reduce", "expression": "` + strings.Repeat("n", 1000) + `", "reducer": "sum"}`:                                                                  "$" + strings.Repeat("n", 40) + "... not found\nhelp: names are case-sensitive; this request has A, B, E",
		`{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "avg"}}]}`:                                                 "conditions[0].evaluator: required\nhelp: add one, such as {\"type\": \"gt\", \"params\": [10]}",
		`{"type": "classic_conditions", "conditions": [{"query": {"params": ["A"]}, "reducer": {"type": "avg"}, "operator": {"type": "xor"}, ` + evaluator + `}]}`: "conditions[0].operator.type: \"xor\" not found\nhelp: use one of and, or, logic-or",
	} {
		if diff := cmp.Diff(want, evaluate(t, "0:1", "2", model)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", model, diff)
		}
	}
}
