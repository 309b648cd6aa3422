package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

func (a *API) controlRoutes() []Route {
	write := action(access.PluginsWrite).on("plugins:id:{id}")
	return []Route{
		{"POST", "/api/plugins/{id}/restart", write, call(a.restartPlugin), doc{Summary: "Replace the process of a backend without dropping a call", Also: http.StatusServiceUnavailable}},
		{"POST", "/api/plugins/{id}/reload", write, call(a.reloadPlugin), doc{Summary: "Apply changes in the directory of a plugin", Also: http.StatusServiceUnavailable}},
	}
}

// controlled is the state of a plugin after an action of an administrator.
type controlled struct{ hostapi.Plugin }

// status is 503 if the backend does not run, or if the new build of it did not start.
func (c controlled) status() int {
	if c.Backend != nil && (c.Backend.State != string(loader.StateRunning) || c.Backend.Reason != "") {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

func (a *API) restartPlugin(ctx context.Context, who host.Identity, in pluginPath) (controlled, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return controlled{}, err
	}
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

func (a *API) reloadPlugin(ctx context.Context, who host.Identity, in pluginPath) (controlled, error) {
	if _, err := a.plugin(in.ID); err != nil {
		return controlled{}, err
	}
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

// maxPluginJSON is the maximum number of bytes of a plugin.json that is shown.
const maxPluginJSON = 1 << 20

func (a *API) pluginJSON(ctx context.Context, _ host.Identity, in pluginPath) (hostapi.PluginJSON, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return hostapi.PluginJSON{}, err
	}
	f, err := p.Bundle().Open(bundle.MetadataFile)
	if err != nil {
		return hostapi.PluginJSON{}, host.NotFound("File")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPluginJSON+1))
	if err != nil {
		return hostapi.PluginJSON{}, fmt.Errorf("read %s: %w", bundle.MetadataFile, err)
	}
	if len(text) > maxPluginJSON {
		return hostapi.PluginJSON{}, fmt.Errorf("%s is larger than %d MiB", bundle.MetadataFile, maxPluginJSON>>20)
	}
	tree, options, err := validate.OpenReader(bytes.NewReader(text))
	if err != nil {
		return hostapi.PluginJSON{}, err
	}
	options.Rules, options.Where = rules.All(), validate.Dist
	report, err := validate.Run(ctx, tree, options)
	if err != nil {
		return hostapi.PluginJSON{}, err
	}
	return hostapi.PluginJSON{Text: string(text), Findings: mapped(report.Findings, func(f validate.Finding) hostapi.Finding {
		return hostapi.Finding{Rule: f.Rule, Severity: string(f.Severity), Line: f.Line, Column: f.Column, EndLine: f.EndLine, EndColumn: f.EndColumn,
			Message: f.Message, Help: f.Help}
	})}, nil
}
