package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
)

// pluginChange is a recent event of a plugin.
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
