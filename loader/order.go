package loader

import (
	"context"
	"slices"
)

// ordered is a plugin in the order of the starts.
type ordered struct {
	mounted
	after []string // ids of the plugins that start first
	cycle []string // ids of the plugins that require each other, itself included; nil if it is in no cycle
}

// startOrder returns the plugins so that each follows those that it depends on. Plugins in a
// cycle do not wait for each other. The order depends on that of mounts only.
func startOrder(mounts []mounted) (list []ordered) {
	o := ordering{index: map[string]int{}, lowest: map[string]int{}, plugins: map[string]mounted{}}
	for _, m := range mounts {
		o.plugins[m.Metadata.ID] = m
	}
	for _, m := range mounts {
		if o.index[m.Metadata.ID] == 0 {
			o.visit(m.Metadata.ID)
		}
	}
	for _, group := range o.groups {
		for _, id := range group {
			p := ordered{mounted: o.plugins[id]}
			for _, d := range p.Metadata.Dependencies.Plugins {
				switch _, isMounted := o.plugins[d.ID]; {
				case slices.Contains(group, d.ID):
					p.cycle = group
				case isMounted:
					p.after = append(p.after, d.ID)
				}
			}
			list = append(list, p)
		}
	}
	return list
}

// ordering finds the groups of plugins that require each other with Tarjan's algorithm,
// which returns each group after those that it depends on.
type ordering struct {
	plugins map[string]mounted
	index   map[string]int // in the order of the visits, from 1
	lowest  map[string]int // index that is reached from a plugin in stack
	stack   []string
	groups  [][]string
}

func (o *ordering) visit(id string) {
	o.index[id] = len(o.index) + 1
	o.lowest[id] = o.index[id]
	o.stack = append(o.stack, id)
	for _, d := range o.plugins[id].Metadata.Dependencies.Plugins {
		if _, isMounted := o.plugins[d.ID]; !isMounted {
			continue
		}
		if o.index[d.ID] == 0 {
			o.visit(d.ID)
			o.lowest[id] = min(o.lowest[id], o.lowest[d.ID])
		} else if slices.Contains(o.stack, d.ID) {
			o.lowest[id] = min(o.lowest[id], o.index[d.ID])
		}
	}
	if o.lowest[id] < o.index[id] {
		return
	}
	at := slices.Index(o.stack, id)
	o.groups = append(o.groups, slices.Clone(o.stack[at:]))
	o.stack = o.stack[:at]
}

// required returns the mounted plugins with the ids. The caller must hold the lock.
func (l *Loader) required(ids []string) (list []*Plugin) {
	for _, id := range ids {
		if p, ok := l.plugins[id]; ok {
			list = append(list, p)
		}
	}
	return list
}

// awaitRequired waits until the plugins that this one depends on have started or failed to
// start. It cannot deadlock: each of them was mounted earlier.
func (p *Plugin) awaitRequired(ctx context.Context) {
	for _, other := range p.after {
		_ = other.Settled(ctx) // fails only if ctx ends
	}
	p.after = nil // so that removed plugins can be garbage-collected
}
