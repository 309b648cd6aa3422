package api

import (
	"context"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) pluginFigures(_ context.Context, _ host.Identity, in pluginPath) (hostapi.PluginFigures, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return hostapi.PluginFigures{}, err
	}
	s, f := p.Status(), p.Figures()
	return hostapi.PluginFigures{
		State: string(s.State), Restarts: s.Restarts, Running: f.Running,
		Calls: mapped(f.Calls, func(c loader.CallFigures) hostapi.CallFigures {
			return hostapi.CallFigures{Kind: string(c.Call), Count: c.Count,
				Errors: hostapi.CallErrors{Plugin: c.PluginErrors, Downstream: c.DownstreamErrors}, Mean: c.Mean, P95: c.P95}
		}),
	}, nil
}
