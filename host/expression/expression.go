package expression

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk/frame"
)

// Result is the result of a query or an expression. An expression that needs a failed
// result fails, too, whether or not the result has frames.
type Result struct {
	Frames []*frame.Frame
	Err    error
}

// Node is a parsed expression.
type Node struct {
	RefID string
	Needs []string  // refIDs of the queries and expressions that it refers to, each once
	Range TimeRange // of the request; resample needs it, and the caller sets it

	run operation
}

// TimeRange is a range of time.
type TimeRange struct{ From, To time.Time }

// operation computes an expression. The collections are those of Node.Needs.
type operation func(e *evaluation, span TimeRange, inputs map[string]collection) (collection, error)

// model is the JSON of an expression.
type model struct {
	Type        string           `json:"type"`
	Expression  string           `json:"expression"`
	Reducer     string           `json:"reducer"`
	Settings    *reduceSettings  `json:"settings"`
	Window      string           `json:"window"`
	Downsampler string           `json:"downsampler"`
	Upsampler   string           `json:"upsampler"`
	Conditions  []conditionModel `json:"conditions"`
}

// problem is an error with help for the author of an expression.
type problem struct{ text, help string }

// Error returns the text and the help.
func (p *problem) Error() string { return p.text + "\nhelp: " + p.help }

// problemf returns an error with help for the author of the expression.
func problemf(help, format string, args ...any) error {
	return &problem{fmt.Sprintf(format, args...), help}
}

// Parse parses the model of an expression.
func Parse(refID string, text json.RawMessage) (Node, error) {
	var m model
	if err := json.Unmarshal(text, &m); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return Node{}, fmt.Errorf("%s: must not be a JSON %s", cmp.Or(e.Field, "expression query"), e.Value)
		}
		return Node{}, fmt.Errorf("invalid JSON: %w", err)
	}
	if m.Type == "sql" {
		return Node{}, problemf("use the types math, reduce and resample, or let the data source compute the result", "type: this host has no SQL expressions")
	}
	parse, err := lookup("type", m.Type, []named[func(*model) ([]string, operation, error)]{
		{"math", parseMath}, {"reduce", parseReduce}, {"resample", parseResample},
		{"threshold", parseThreshold}, {"classic_conditions", parseClassic},
	})
	if err != nil {
		return Node{}, err
	}
	needs, run, err := parse(&m)
	if err != nil {
		return Node{}, err
	}
	return Node{RefID: refID, Needs: needs, run: run}, nil
}

// reference returns the refID in a field that contains only a reference: A, $A or ${A}.
func reference(field, text string) (string, error) {
	refID := strings.TrimSpace(text)
	refID = strings.TrimPrefix(refID, "$")
	if inner, ok := strings.CutPrefix(refID, "{"); ok {
		refID = strings.TrimSuffix(inner, "}")
	}
	if refID == "" {
		return "", problemf("write the refId of a query or an expression, such as A", "%s: reference is missing", field)
	}
	return refID, nil
}

// lookup returns the entry of a table that a field names.
func lookup[T any](field, name string, table []named[T]) (T, error) {
	names := make([]string, len(table))
	for i, entry := range table {
		if entry.name == name {
			return entry.value, nil
		}
		names[i] = entry.name
	}
	var zero T
	return zero, problemf("use one of "+strings.Join(names, ", "), "%s: %q not found", field, shorten(name))
}

// named is an entry of a table. Tables are slices, so that messages list their names in
// a sensible order.
type named[T any] struct {
	name  string
	value T
}

// add appends a string if it is new.
func add(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
