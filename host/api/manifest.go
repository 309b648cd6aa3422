package api

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

// maxPluginJSON is the maximum number of bytes of a plugin.json that is shown.
const maxPluginJSON = 1 << 20

// pluginJSON is the plugin.json of a plugin with the findings of the rules of validate that need no other file.
type pluginJSON struct {
	Text     string              `json:"text"`
	Findings []pluginJSONFinding `json:"findings"` // by position
}

type pluginJSONFinding struct {
	Rule      string            `json:"rule"`
	Severity  validate.Severity `json:"severity"`
	Line      int               `json:"line"`   // from 1, or 0 for the whole file
	Column    int               `json:"column"` // from 1, in code points
	EndLine   int               `json:"endLine"`
	EndColumn int               `json:"endColumn"` // the first column after the finding
	Message   string            `json:"message"`
	Help      string            `json:"help"`
}

func (a *API) pluginJSON(ctx context.Context, _ host.Identity, in pluginPath) (pluginJSON, error) {
	p, err := a.plugin(in.ID)
	if err != nil {
		return pluginJSON{}, err
	}
	f, err := p.Bundle().Open(bundle.MetadataFile)
	if err != nil {
		return pluginJSON{}, host.NotFound("File")
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPluginJSON+1))
	if err != nil {
		return pluginJSON{}, fmt.Errorf("read %s: %w", bundle.MetadataFile, err)
	}
	if len(text) > maxPluginJSON {
		return pluginJSON{}, fmt.Errorf("%s is larger than %d MiB", bundle.MetadataFile, maxPluginJSON>>20)
	}
	tree, options, err := validate.OpenReader(bytes.NewReader(text))
	if err != nil {
		return pluginJSON{}, err
	}
	options.Rules, options.Where = rules.All(), validate.Dist
	report, err := validate.Run(ctx, tree, options)
	if err != nil {
		return pluginJSON{}, err
	}
	return pluginJSON{string(text), mapped(report.Findings, func(f validate.Finding) pluginJSONFinding {
		return pluginJSONFinding{f.Rule, f.Severity, f.Line, f.Column, f.EndLine, f.EndColumn, f.Message, f.Help}
	})}, nil
}
