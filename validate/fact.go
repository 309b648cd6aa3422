package validate

import "sync"

// Fact is a value that several rules need and that is costly to compute. The package
// that owns it declares it as a variable; a rule reads it with Of.
type Fact[T any] struct {
	compute  func(*Pass) T
	isOfTree bool
}

// NewFact returns a fact that is computed once for each plugin.
func NewFact[T any](compute func(*Pass) T) *Fact[T] {
	return &Fact[T]{compute: compute}
}

// NewTreeFact returns a fact that is computed once for all plugins of a run.
// The value must not depend on the plugin whose Pass is given, and compute must not
// read another fact of the tree.
func NewTreeFact[T any](compute func(*Pass) T) *Fact[T] {
	return &Fact[T]{compute: compute, isOfTree: true}
}

// Of returns the value, and computes it if no rule has read it before.
func (f *Fact[T]) Of(p *Pass) T {
	facts := p.facts
	if f.isOfTree {
		p.run.tree.Lock()
		defer p.run.tree.Unlock()
		facts = p.run.tree.facts
	}
	known, ok := facts[f]
	if !ok {
		before := p.touched != nil && p.touched.Swap(false)
		known.value = f.compute(p)
		known.isTouched = p.touched != nil && p.touched.Load()
		facts[f] = known
		if before {
			p.touched.Store(true)
		}
	}
	if known.isTouched {
		p.touched.Store(true)
	}
	return known.value.(T)
}

type fact struct {
	value     any
	isTouched bool // computing it read files other than plugin.json
}

// treeFacts holds the facts that the plugins of a run share, by their Fact.
type treeFacts struct {
	sync.Mutex
	facts map[any]fact
}
