package expression

import (
	"fmt"
)

// tuple has the items that a math operator combines.
type tuple struct {
	labels map[string]string // of the result
	items  []item
}

// tuplesOf returns a tuple per item.
func tuplesOf(items []item) []tuple {
	list := make([]tuple, len(items))
	for n, i := range items {
		list[n] = tuple{i.labels, []item{i}}
	}
	return list
}

// join extends each tuple with each item whose labels match: one has all labels of the
// other. The result has the larger labels. If there is only one tuple and one item, they
// match whatever their labels are. The notice says what was dropped.
func (e *evaluation) join(operator string, left []tuple, right []item) (joined []tuple, notice string, err error) {
	if err := e.compare(len(left) * len(right)); err != nil {
		return nil, "", err
	}
	leftMatched, rightMatched := make([]bool, len(left)), make([]bool, len(right))
	for l, t := range left {
		if err := e.ctx.Err(); err != nil {
			return nil, "", fmt.Errorf("evaluate expression: %w", err)
		}
		for r, i := range right {
			labels, ok := larger(t.labels, i.labels)
			switch {
			case ok:
			case len(left) == 1 && len(right) == 1:
				labels = t.labels
			default:
				continue
			}
			if len(joined) == e.limits.Items {
				return nil, "", e.tooManyItems()
			}
			leftMatched[l], rightMatched[r] = true, true
			joined = append(joined, tuple{labels, append(t.items[:len(t.items):len(t.items)], i)})
		}
	}
	dropped, example := 0, map[string]string(nil)
	for l, t := range left {
		if !leftMatched[l] {
			dropped, example = dropped+1, t.labels
		}
	}
	for r, i := range right {
		if !rightMatched[r] {
			dropped, example = dropped+1, i.labels
		}
	}
	if dropped > 0 {
		notice = fmt.Sprintf("%s left out %d of %d series or numbers, because the other side has nothing with matching labels; one of them has the labels %s",
			operator, dropped, len(left)+len(right), braces(example))
	}
	return joined, notice, nil
}
