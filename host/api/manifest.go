package api

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

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
