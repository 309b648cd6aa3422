package expression_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/expression"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// The tests write results as text. Items are separated by "; ". A series is a list of
// points, each with its second and its value, or [] if it has none; a number is a value.
// Labels come first:
//
//	{host=a,dc=x} 0:1 10:null; {host=b,dc=x} []
//	{host=a} 5

// enough is more than the tests need.
func enough() expression.Limits {
	return expression.Limits{Points: 10_000, Items: 1000, Comparisons: 10_000}
}

// second returns a time.
func second(n int) time.Time { return time.Unix(int64(n), 0).UTC() }

// span is the time range of the tests.
func span() expression.TimeRange { return expression.TimeRange{From: second(0), To: second(40)} }

// frames returns the frames of a result.
func frames(t testing.TB, text string) []*frame.Frame {
	t.Helper()
	var list []*frame.Frame
	for part := range strings.SplitSeq(text, "; ") {
		if part == "" {
			continue
		}
		var labels map[string]string
		if rest, ok := strings.CutPrefix(part, "{"); ok {
			inner, after, _ := strings.Cut(rest, "} ")
			labels = map[string]string{}
			for pair := range strings.SplitSeq(inner, ",") {
				name, value, _ := strings.Cut(pair, "=")
				labels[name] = value
			}
			part = after
		}
		if !strings.Contains(part, ":") && part != "[]" {
			list = append(list, frame.New("", field("value", labels, []*float64{value(t, part)})))
			continue
		}
		times, values := []time.Time{}, []*float64{}
		for point := range strings.FieldsSeq(strings.Trim(part, "[]")) {
			at, v, _ := strings.Cut(point, ":")
			n, err := strconv.Atoi(at)
			if err != nil {
				t.Fatal(err)
			}
			times, values = append(times, second(n)), append(values, value(t, v))
		}
		list = append(list, frame.New("", frame.Of("time", times), field("value", labels, values)))
	}
	return list
}

// field returns a field with labels.
func field[T frame.Value](name string, labels map[string]string, values []T) frame.Field {
	c := frame.Of(name, values)
	c.Labels = labels
	return c
}

func value(t testing.TB, text string) *float64 {
	t.Helper()
	if text == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

// show is the reverse of frames, for the result of an expression. It adds notices in
// parentheses.
func show(t testing.TB, list []*frame.Frame) string {
	t.Helper()
	var parts, notices []string
	for _, f := range list {
		if f.Meta != nil {
			for _, n := range f.Meta.Notices {
				notices = append(notices, "("+n.Text+")")
			}
		}
		if len(f.Fields) == 0 {
			continue
		}
		field := f.Fields[len(f.Fields)-1].(*frame.Column[*float64])
		var labels []string
		for _, name := range slices.Sorted(maps.Keys(field.Labels)) {
			labels = append(labels, name+"="+field.Labels[name])
		}
		part := ""
		if len(labels) > 0 {
			part = "{" + strings.Join(labels, ",") + "} "
		}
		if len(f.Fields) == 1 {
			parts = append(parts, part+digits(field.Values[0]))
			continue
		}
		points := []string{}
		for row, at := range f.Fields[0].(*frame.Column[time.Time]).Values {
			points = append(points, fmt.Sprintf("%d:%s", at.Unix(), digits(field.Values[row])))
		}
		parts = append(parts, part+cmp.Or(strings.Join(points, " "), "[]"))
	}
	slices.Sort(parts)
	text := strings.Join(parts, "; ")
	return strings.TrimSpace(text + " " + strings.Join(notices, " "))
}

func digits(v *float64) string {
	if v == nil {
		return "null"
	}
	return strconv.FormatFloat(math.Round(*v*1e6)/1e6, 'g', -1, 64)
}

// evaluate runs one expression on the results A and B, and shows its result or error.
func evaluate(t testing.TB, a, b, model string) string {
	t.Helper()
	node, err := expression.Parse("E", json.RawMessage(model))
	if err != nil {
		return err.Error()
	}
	node.Range = span()
	inputs := map[string]expression.Result{"A": {Frames: frames(t, a)}, "B": {Frames: frames(t, b)}}
	result := expression.Evaluate(t.Context(), []expression.Node{node}, inputs, enough())["E"]
	if result.Err != nil {
		return result.Err.Error()
	}
	return show(t, result.Frames)
}
