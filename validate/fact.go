package validate

import "sync"

// Fact returns what compute returned the first time that a rule asked for the
// key with this plugin, so that rules share what is costly. A key is a value of
// an unexported type of the package that owns the fact.
func Fact[T any](p *Pass, key any, compute func() T) T {
	return shared(p, p.facts, key, compute)
}

// TreeFact is like Fact, but the value is computed once for all plugins of the
// run. compute must not depend on which plugin asks first, nor ask for another
// TreeFact.
func TreeFact[T any](p *Pass, key any, compute func() T) T {
	p.tree.Lock()
	defer p.tree.Unlock()
	return shared(p, p.tree.facts, key, compute)
}

// fact is what rules share.
type fact struct {
	value     any
	isTouched bool // it depends on files beside plugin.json
}

// treeFacts is what the plugins of a run know together.
type treeFacts struct {
	sync.Mutex
	facts map[any]fact
}

// shared returns the value of the key, and marks a pass that watches its tree if the
// value depends on other files.
func shared[T any](p *Pass, facts map[any]fact, key any, compute func() T) T {
	known, ok := facts[key]
	if !ok {
		before := p.touched != nil && p.touched.Swap(false)
		known.value = compute()
		known.isTouched = p.touched != nil && p.touched.Load()
		facts[key] = known
		if before {
			p.touched.Store(true)
		}
	}
	if known.isTouched {
		p.touched.Store(true)
	}
	return known.value.(T)
}
