package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

// pluginChange is an event of a plugin.
type pluginChange struct {
	Name string `json:"event"`
	Event
}

// pluginChanges returns the events of a plugin that the host remembers, the latest last.
func (a *API) pluginChanges(_ context.Context, _ host.Identity, in pluginPath) ([]pluginChange, error) {
	if _, err := a.plugin(in.ID); err != nil {
		return nil, err
	}
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []pluginChange{}
	for _, e := range a.events.recent {
		if e.ID == in.ID {
			changes = append(changes, pluginChange{e.Name, e})
		}
	}
	return changes, nil
}

// lastChanges returns the last outcome of each mounted plugin that the caller manages, even
// if the events of others have displaced it from pluginChanges.
func (a *API) lastChanges(_ context.Context, who host.Identity, in pageQuery) ([]pluginChange, error) {
	plugins := a.loaded.Plugins()
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []pluginChange{}
	for _, p := range plugins {
		if e, ok := a.events.last[p.ID()]; ok && manages(who, p.ID()) {
			changes = append(changes, pluginChange{e.Name, e})
		}
	}
	return store.Cut(changes, in.longPage()), nil
}
