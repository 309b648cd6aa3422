package build

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Downloads records, in the user's cache, what the frontends of a repository consisted of when all of
// their packages were there. Until that changes, there is nothing to download.
type Downloads struct {
	Frontends []Frontend

	plan  *Plan
	steps map[string]downloaded // by Frontend.output
}

// downloaded describes a frontend.
type downloaded struct {
	Inputs string   // digest of the files and settings
	Read   []string // files that the bundler read
}

// OpenDownloads lists the frontends of a repository that must be bundled, that of the plugin first and
// then those of nested plugins. cacheDir is that of Options.
func OpenDownloads(repo bundle.Repo, f config.Frontend, cacheDir string) (*Downloads, error) {
	p, err := PlanSources(repo, f)
	if err != nil {
		return nil, err
	}
	p.options.CacheDir = cacheDir
	d := &Downloads{Frontends: p.Frontends, plan: p, steps: map[string]downloaded{}}
	if file, err := d.file(); err == nil {
		data, _ := limit.ReadFile(file, limit.Settings) // without a record, the bundler decides
		_ = json.Unmarshal(data, &d.steps)              // the same
	}
	return d, nil
}

func (d *Downloads) file() (string, error) {
	file, err := d.plan.recordFile()
	return strings.TrimSuffix(file, ".json") + "-packages.json", err
}

// AreComplete reports whether nothing has changed since all packages of a frontend were there.
func (d *Downloads) AreComplete(f Frontend) bool {
	before, ok := d.steps[f.output()]
	if !ok {
		return false
	}
	in, err := d.inputs(f, before.Read)
	return err == nil && in == before.Inputs
}

func (d *Downloads) inputs(f Frontend, read []string) (string, error) {
	f.Substitutions = d.plan.substitutions(f.PluginID)
	return d.plan.bundleInputs(f, read)
}

// Download downloads the packages of a frontend. Of the bundle, it returns the numbers, and the reason
// why dev cannot bundle it.
func (d *Downloads) Download(ctx context.Context, bundler Bundler, f Frontend) (*Module, error) {
	f.Download, f.Substitutions = true, d.plan.substitutions(f.PluginID)
	started := time.Now().Add(-clockStep)
	b, err := bundler.Bundle(ctx, f)
	if err != nil {
		return nil, err
	}
	isElsewhere := func(name string) bool { return !filepath.IsLocal(filepath.FromSlash(name)) }
	sources := slices.DeleteFunc(slices.Clone(b.Inputs), isElsewhere) // the others may have just been downloaded
	isComplete := b.Development == "" && len(b.Inputs) > 0 && !d.plan.isEdited(sources, started)
	if in, err := d.inputs(f, b.Inputs); err == nil && isComplete {
		d.steps[f.output()] = downloaded{Inputs: in, Read: b.Inputs}
		if data, err := json.Marshal(d.steps); err == nil {
			if file, err := d.file(); err == nil {
				saveFile(file, data)
			}
		}
	}
	return b, nil
}
