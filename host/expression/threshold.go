package expression

import (
	"bytes"
	"encoding/json"
)

// evaluatorModel is a comparison with one or two constants.
type evaluatorModel struct {
	Type   string    `json:"type"`
	Params []float64 `json:"params"`
}

// predicate reports whether a number is what an evaluator asks for.
type predicate func(float64) bool

// comparison makes a predicate from constants: the smaller and the larger one, which are
// the same if there is one.
type comparison struct {
	constants int
	with      func(low, high float64) predicate
}

func comparisons() []named[comparison] {
	return []named[comparison]{
		{"gt", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v > p } }}},
		{"lt", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v < p } }}},
		{"eq", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v == p } }}},
		{"ne", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v != p } }}},
		{"gte", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v >= p } }}},
		{"lte", comparison{1, func(p, _ float64) predicate { return func(v float64) bool { return v <= p } }}},
		{"within_range", comparison{2, func(low, high float64) predicate { return func(v float64) bool { return low < v && v < high } }}},
		{"outside_range", comparison{2, func(low, high float64) predicate { return func(v float64) bool { return v < low || high < v } }}},
		{"within_range_included", comparison{2, func(low, high float64) predicate { return func(v float64) bool { return low <= v && v <= high } }}},
		{"outside_range_included", comparison{2, func(low, high float64) predicate { return func(v float64) bool { return v <= low || high <= v } }}},
	}
}

// parse returns the predicate of the evaluator in a field, or nil for one that compares
// with nothing.
func (m *evaluatorModel) parse(field string, table []named[comparison]) (predicate, error) {
	if m == nil {
		return nil, problemf(`add one, such as {"type": "gt", "params": [10]}`, "%s: required", field)
	}
	c, err := lookup(field+".type", m.Type, table)
	switch {
	case err != nil:
		return nil, err
	case c.constants == 0:
		return nil, nil
	case len(m.Params) < c.constants: // frontends keep a second one when the type changes
		return nil, problemf("add the constants to compare with", "%s.params: %s needs %d, found %d", field, m.Type, c.constants, len(m.Params))
	}
	a, b := m.Params[0], m.Params[c.constants-1]
	return c.with(min(a, b), max(a, b)), nil
}

func parseThreshold(m *model) ([]string, operation, error) {
	refID, err := reference("expression", m.Expression)
	if err != nil {
		return nil, nil, err
	}
	if len(m.Conditions) != 1 {
		return nil, nil, problemf(`write one, such as [{"evaluator": {"type": "gt", "params": [10]}}]`, "conditions: a threshold has 1, found %d", len(m.Conditions))
	}
	condition := m.Conditions[0]
	holds, err := condition.Evaluator.parse("conditions[0].evaluator", comparisons())
	if err != nil {
		return nil, nil, err
	}
	if err := condition.checkRecovery(); err != nil {
		return nil, nil, err
	}
	return []string{refID}, func(e *evaluation, _ TimeRange, inputs map[string]collection) (collection, error) {
		return e.transform(inputs[refID], func(i item) item {
			values := make([]*float64, len(i.values))
			for n, v := range i.values {
				if v != nil {
					values[n] = new(truth(holds(*v)))
				}
			}
			i.values = values
			return i
		})
	}, nil
}

// checkRecovery checks the recovery threshold. It applies to what is already above the
// threshold, which only a service that keeps the state of alerts knows: without this
// state, the result is that of the threshold.
func (m *conditionModel) checkRecovery() error {
	if m.UnloadEvaluator != nil {
		if _, err := m.UnloadEvaluator.parse("conditions[0].unloadEvaluator", comparisons()); err != nil {
			return err
		}
	}
	if state := bytes.TrimSpace(m.LoadedDimensions); len(state) > 0 && !bytes.Equal(state, []byte("null")) {
		return problemf("remove it", "conditions[0].loadedDimensions: this is the state of an alert, and this host does not evaluate alerts")
	}
	return nil
}

// conditionModel is a condition of threshold or classic_conditions.
type conditionModel struct {
	Evaluator        *evaluatorModel `json:"evaluator"`
	UnloadEvaluator  *evaluatorModel `json:"unloadEvaluator"`
	LoadedDimensions json.RawMessage `json:"loadedDimensions"`

	Query struct {
		Params []string `json:"params"` // the refID; old dashboards add a time range, which is not used
	} `json:"query"`
	Reducer struct {
		Type string `json:"type"`
	} `json:"reducer"`
	Operator struct {
		Type string `json:"type"`
	} `json:"operator"`
}
