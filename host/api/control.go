package api

import (
	"context"
	"net/http"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// controlled is the state of a plugin after an action of an administrator.
type controlled struct{ hostapi.Plugin }

// status is 503 if the backend does not run, or if the new build of it did not start.
func (c controlled) status() int {
	if c.Backend != nil && (c.Backend.State != string(loader.StateRunning) || c.Backend.Reason != "") {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

func (a *API) restartPlugin(ctx context.Context, who host.Identity, p *loader.Plugin, in pluginPath) (controlled, error) {
	if !p.Bundle().Metadata.Backend {
		return controlled{}, host.Invalid("", "the plugin has no backend")
	}
	a.Logger.InfoContext(ctx, "plugin restart requested", "plugin", in.ID, "login", who.Login)
	if err := p.Restart(ctx); err != nil {
		return controlled{}, err
	}
	described, err := a.describe(ctx, who, p)
	return controlled{described}, err
}

func (a *API) reloadPlugin(ctx context.Context, who host.Identity, _ *loader.Plugin, in pluginPath) (controlled, error) {
	a.Logger.InfoContext(ctx, "plugin reload requested", "plugin", in.ID, "login", who.Login)
	if err := a.Reload(ctx, in.ID); err != nil {
		return controlled{}, err
	}
	p, err := a.plugin(in.ID)
	if err != nil {
		return controlled{}, err // it is gone
	}
	described, err := a.describe(ctx, who, p)
	return controlled{described}, err
}
