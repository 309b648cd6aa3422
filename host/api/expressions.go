package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/expression"
	"github.com/slipway-dev/slipway/sdk"
)

// queryPlan is what a request makes the host do.
type queryPlan struct {
	queries     []dataQuery       // of data sources
	expressions []dataQuery       // in any order
	nodes       []expression.Node // of those that are valid
	invalid     map[string]error  // why others are not, by refID
}

// planQueries separates the expressions of a request from its other queries. The plan does
// not contain hidden ones that no expression needs.
func planQueries(queries []dataQuery) queryPlan {
	plan := queryPlan{invalid: map[string]error{}}
	nodes := map[string]expression.Node{}
	var visible []string
	for _, q := range queries {
		if q.source.UID == host.ExpressionUID {
			node, err := expression.Parse(q.RefID, q.JSON)
			if err != nil {
				plan.invalid[q.RefID] = err
			} else {
				node.Range = expression.TimeRange(q.TimeRange)
				nodes[q.RefID] = node
			}
		}
		if !q.isHidden {
			visible = append(visible, q.RefID)
		}
	}
	isInput, isNeeded := map[string]bool{}, map[string]bool{}
	for len(visible) > 0 {
		refID := visible[0]
		if visible = visible[1:]; isNeeded[refID] {
			continue
		}
		isNeeded[refID] = true
		for _, need := range nodes[refID].Needs {
			isInput[need] = true
			visible = append(visible, need)
		}
	}
	for _, q := range queries {
		q.isInput = isInput[q.RefID]
		switch {
		case !isNeeded[q.RefID]:
		case q.source.UID == host.ExpressionUID:
			plan.expressions = append(plan.expressions, q)
			if node, ok := nodes[q.RefID]; ok {
				plan.nodes = append(plan.nodes, node)
			}
		default:
			plan.queries = append(plan.queries, q)
		}
	}
	return plan
}

// evaluate adds the results of the expressions of a plan to those of its queries.
func (p queryPlan) evaluate(ctx context.Context, results map[string]queryResult) {
	inputs := map[string]expression.Result{}
	for _, q := range p.queries {
		input := expression.Result{Frames: results[q.RefID].input}
		if text := results[q.RefID].Error; text != "" {
			input.Err = errors.New(cutText(text, maxRepeated)) // each expression that needs it repeats it
		}
		inputs[q.RefID] = input
	}
	for refID, err := range p.invalid {
		inputs[refID] = expression.Result{Err: err}
	}
	computed := expression.Evaluate(ctx, p.nodes, inputs, expression.Limits{
		Points: host.MaxExpressionPoints, Items: host.MaxExpressionItems, Comparisons: host.MaxExpressionComparisons,
	})
	for _, q := range p.expressions {
		if err := p.invalid[q.RefID]; err != nil {
			results[q.RefID] = failedExpression(err)
		} else {
			results[q.RefID] = expressionResult(computed[q.RefID])
		}
	}
}

// expressionResult converts the result of an expression.
func expressionResult(r expression.Result) queryResult {
	if r.Err != nil {
		return failedExpression(r.Err)
	}
	out := queryResult{Status: http.StatusOK, Frames: []json.RawMessage{}}
	for _, f := range r.Frames {
		if err := out.add(f, 0); err != nil {
			return failedExpression(err)
		}
	}
	return out
}

// failedExpression is the result of an expression that cannot be computed: usually,
// the request is wrong.
func failedExpression(err error) queryResult {
	return queryResult{Status: http.StatusBadRequest, Frames: []json.RawMessage{}, Error: err.Error(), ErrorSource: sdk.SourceDownstream}
}
