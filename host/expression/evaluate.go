package expression

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	maxLength     = 8 << 10 // bytes of an expression
	maxDepth      = 100     // of parentheses, operators and function calls
	maxConditions = 100     // of classic_conditions
)

// Limits bounds what the expressions of a request may compute together. Intermediate
// results count, too.
type Limits struct {
	Points      int // of time series
	Items       int // time series and single numbers
	Comparisons int // of the labels of two items
}

// evaluation is the state of one call of Evaluate.
type evaluation struct {
	ctx     context.Context
	limits  Limits // what is left
	total   Limits
	nodes   map[string]Node
	inputs  map[string]Result
	read    map[string]outcome // inputs and expressions that were needed so far
	current []string           // refIDs of the expressions that are being computed
}

// outcome is a collection, or why it could not be computed.
type outcome struct {
	collection collection
	err        error
}

// Evaluate computes expressions in the order in which they need each other, and returns
// the result of each by refID. inputs has the results of all other queries of the
// request; an expression that could not be parsed belongs there, with its error.
func Evaluate(ctx context.Context, nodes []Node, inputs map[string]Result, limits Limits) map[string]Result {
	e := &evaluation{ctx: ctx, limits: limits, total: limits, nodes: map[string]Node{}, inputs: inputs, read: map[string]outcome{}}
	for _, n := range nodes {
		e.nodes[n.RefID] = n
	}
	results := map[string]Result{}
	for _, n := range nodes {
		c, err := e.result(n.RefID)
		if err != nil {
			results[n.RefID] = Result{Err: err}
			continue
		}
		results[n.RefID] = Result{Frames: c.frames(n.RefID)}
	}
	return results
}

// result returns the items of a query or an expression.
func (e *evaluation) result(refID string) (collection, error) {
	if done, ok := e.read[refID]; ok {
		return done.collection, done.err
	}
	if at := slices.Index(e.current, refID); at >= 0 {
		return collection{}, &cycleError{problem{"the expression refers to itself: " + cycle(e.current[at:]), "remove one of these references"}}
	}
	c, err := e.compute(refID)
	e.read[refID] = outcome{c, err}
	return c, err
}

func (e *evaluation) compute(refID string) (collection, error) {
	if err := e.ctx.Err(); err != nil {
		return collection{}, fmt.Errorf("evaluate expression: %w", err)
	}
	node, ok := e.nodes[refID]
	if !ok {
		in, ok := e.inputs[refID]
		switch {
		case !ok:
			return collection{}, e.unknown(refID)
		case in.Err != nil:
			return collection{}, fmt.Errorf("$%s failed: %w", shorten(refID), in.Err)
		}
		return e.readFrames(refID, in.Frames)
	}
	e.current = append(e.current, refID)
	defer func() { e.current = e.current[:len(e.current)-1] }()
	inputs := map[string]collection{}
	for _, need := range node.Needs {
		c, err := e.result(need)
		if err != nil {
			return collection{}, e.explain(need, err)
		}
		inputs[need] = c
	}
	return node.run(e, node.Range, inputs)
}

// cycleError reports expressions that need each other.
type cycleError struct{ problem }

// explain adds which expression failed. Errors of inputs and of cycles name it already.
func (e *evaluation) explain(refID string, err error) error {
	_, isNode := e.nodes[refID]
	if _, isCycle := errors.AsType[*cycleError](err); !isNode || isCycle {
		return err
	}
	return fmt.Errorf("$%s failed: %w", shorten(refID), err)
}

func (e *evaluation) unknown(refID string) error {
	known := slices.Collect(maps.Keys(e.inputs))
	known = slices.AppendSeq(known, maps.Keys(e.nodes))
	slices.Sort(known)
	return problemf("names are case-sensitive; this request has "+list(known), "$%s not found", shorten(refID))
}

// maxListed is the number of names that an error lists.
const maxListed = 10

// cycle describes expressions of which each refers to the next one, and the last one to the
// first: the first few if there are many.
func cycle(refIDs []string) string {
	var b strings.Builder
	for _, refID := range refIDs[:min(len(refIDs), maxListed)] {
		fmt.Fprintf(&b, "$%s -> ", shorten(refID))
	}
	if len(refIDs) > maxListed {
		b.WriteString("... -> ")
	}
	return b.String() + "$" + shorten(refIDs[0])
}

// list joins names, the first few if there are many.
func list(names []string) string {
	var b strings.Builder
	for n, name := range names {
		if n == maxListed {
			fmt.Fprintf(&b, " and %d more", len(names)-maxListed)
			break
		}
		if n > 0 {
			b.WriteString(", ")
		}
		b.WriteString(shorten(name))
	}
	return b.String()
}

// spend takes an item with a number of points from what may still be computed.
func (e *evaluation) spend(points int) error {
	if err := e.ctx.Err(); err != nil {
		return fmt.Errorf("evaluate expression: %w", err)
	}
	switch {
	case points > e.limits.Points:
		return problemf("shorten the time range, or let the data source aggregate", "the expressions of a request may compute at most %d points", e.total.Points)
	case e.limits.Items == 0:
		return e.tooManyItems()
	}
	e.limits.Points -= points
	e.limits.Items--
	return nil
}

func (e *evaluation) tooManyItems() error {
	return problemf("let the data source return fewer series", "the expressions of a request may compute at most %d series and numbers", e.total.Items)
}

// compare takes comparisons from those that may still be made.
func (e *evaluation) compare(n int) error {
	if n > e.limits.Comparisons {
		return problemf("let the data sources return fewer series", "the expressions of a request may compare the labels of at most %d pairs of series", e.total.Comparisons)
	}
	e.limits.Comparisons -= n
	return nil
}
