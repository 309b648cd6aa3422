package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
)

// pluginFigures are the figures of a plugin since it was mounted. Durations are in seconds.
type pluginFigures struct {
	State    loader.State  `json:"state"`
	Restarts int           `json:"restarts"`
	Running  int           `json:"running"` // calls in progress
	Calls    []callFigures `json:"calls"`   // by kind; those of kinds that occurred
}

type callFigures struct {
	Kind   loader.Call `json:"kind"`
	Count  uint64      `json:"count"`
	Errors callErrors  `json:"errors"`
	Mean   float64     `json:"mean"`
	P95    float64     `json:"p95"` // estimated from a histogram
}

// callErrors count failed calls by their source.
type callErrors struct {
	Plugin     uint64 `json:"plugin"`
	Downstream uint64 `json:"downstream"`
}

func (a *API) pluginFigures(_ context.Context, _ host.Identity, in pluginPath) (pluginFigures, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return pluginFigures{}, err
	}
	s, f := p.Status(), p.Figures()
	return pluginFigures{
		State: s.State, Restarts: s.Restarts, Running: f.Running,
		Calls: mapped(f.Calls, func(c loader.CallFigures) callFigures {
			return callFigures{c.Call, c.Count, callErrors{c.PluginErrors, c.DownstreamErrors}, c.Mean, c.P95}
		}),
	}, nil
}
