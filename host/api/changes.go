package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// pluginChanges returns the events of a plugin that the host remembers, the latest last.
func (a *API) pluginChanges(_ context.Context, _ host.Identity, in pluginPath) ([]hostapi.PluginEvent, error) {
	if _, err := a.plugin(in.ID); err != nil {
		return nil, err
	}
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []hostapi.PluginEvent{}
	for _, e := range a.events.recent {
		if e.ID == in.ID {
			changes = append(changes, e.PluginEvent)
		}
	}
	return changes, nil
}

// lastChanges returns the last outcome of each mounted plugin that the caller manages, even
// if the events of others have displaced it from pluginChanges.
func (a *API) lastChanges(_ context.Context, who host.Identity, in pageQuery) ([]hostapi.PluginEvent, error) {
	plugins := a.loaded.Plugins()
	a.events.mu.Lock()
	defer a.events.mu.Unlock()
	changes := []hostapi.PluginEvent{}
	for _, p := range plugins {
		if e, ok := a.events.last[p.ID()]; ok && manages(who, p.ID()) {
			changes = append(changes, e.PluginEvent)
		}
	}
	return store.Cut(changes, in.longPage()), nil
}
