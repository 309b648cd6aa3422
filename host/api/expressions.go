package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/slipway-dev/slipway/sdk"
)

// Expressions computes expressions: queries that calculate with the results of others.
type Expressions interface {
	// Needs returns the refIDs of the queries and expressions that an expression refers to.
	Needs(refID string, expression json.RawMessage) ([]string, error)
	// Evaluate returns a result for each expression by its refID. It orders the expressions
	// and refuses those that need each other. inputs has the results of all other queries
	// of the request.
	Evaluate(ctx context.Context, expressions []sdk.Query, inputs map[string]ExpressionResult) map[string]ExpressionResult
}

// ExpressionResult is the result of a query or an expression.
type ExpressionResult struct {
	Frames data.Frames
	Err    error
}

// queryPlan is what a request makes the host do.
type queryPlan struct {
	queries     []dataQuery      // of data sources
	expressions []dataQuery      // in any order
	invalid     map[string]error // expressions that cannot be parsed, by refID
}

// planQueries separates the expressions of a request from its other queries. The plan does
// not contain hidden ones that no expression needs.
func (a *API) planQueries(queries []dataQuery) queryPlan {
	plan := queryPlan{invalid: map[string]error{}}
	needs := map[string][]string{}
	var visible []string
	for _, q := range queries {
		if q.source.UID == expressionUID {
			refIDs, err := a.needs(q)
			if err != nil {
				plan.invalid[q.RefID] = err
			}
			needs[q.RefID] = refIDs
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
		for _, need := range needs[refID] {
			isInput[need] = true
			visible = append(visible, need)
		}
	}
	for _, q := range queries {
		q.isInput = isInput[q.RefID]
		switch {
		case !isNeeded[q.RefID]:
		case q.source.UID == expressionUID:
			plan.expressions = append(plan.expressions, q)
		default:
			plan.queries = append(plan.queries, q)
		}
	}
	return plan
}

func (a *API) needs(expression dataQuery) ([]string, error) {
	if a.evaluator == nil {
		return nil, &sdk.Error{Status: http.StatusNotImplemented, Source: sdk.SourcePlugin, Message: "this host does not compute expressions"}
	}
	return a.evaluator.Needs(expression.RefID, expression.JSON)
}

// evaluate adds the results of the expressions of a plan to those of its queries.
func (a *API) evaluate(ctx context.Context, plan queryPlan, results map[string]queryResult) {
	inputs := map[string]ExpressionResult{}
	for _, q := range plan.queries {
		input := ExpressionResult{Frames: results[q.RefID].input}
		if text := results[q.RefID].Error; text != "" {
			input.Err = errors.New(text)
		}
		inputs[q.RefID] = input
	}
	var valid []dataQuery
	for _, q := range plan.expressions {
		if err := plan.invalid[q.RefID]; err != nil {
			inputs[q.RefID] = ExpressionResult{Err: err}
			results[q.RefID] = failedExpression(err)
		} else {
			valid = append(valid, q)
		}
	}
	if len(valid) == 0 {
		return
	}
	defer func() {
		if value := recover(); value != nil {
			a.log.ErrorContext(ctx, "panic", "panic", value, "stack", string(debug.Stack()))
			for refID, result := range failAll(valid, http.StatusInternalServerError, sdk.SourcePlugin, "the expression failed; the log of the host has details") {
				results[refID] = result
			}
		}
	}()
	computed := a.evaluator.Evaluate(ctx, sdkQueries(valid), inputs)
	for _, q := range valid {
		results[q.RefID] = expressionResult(computed[q.RefID])
	}
}

// expressionResult converts the result of an expression.
func expressionResult(r ExpressionResult) queryResult {
	if r.Err != nil {
		return failedExpression(r.Err)
	}
	out := queryResult{Status: http.StatusOK, Frames: []json.RawMessage{}, isOwn: true}
	for _, f := range r.Frames {
		if err := out.add(f); err != nil {
			return failedExpression(err)
		}
	}
	return out
}

// failedExpression is the result of an expression that cannot be computed: mostly, the
// request is wrong.
func failedExpression(err error) queryResult {
	out := queryResult{Status: http.StatusBadRequest, Frames: []json.RawMessage{}, Error: err.Error(), ErrorSource: sdk.SourceDownstream}
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		out.Status, out.ErrorSource, out.Error = e.Status, e.Source, e.Message
	}
	return out
}
