package build

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
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

	plan *Plan
	last downloaded
}

// downloaded describes the frontends.
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
	d := &Downloads{Frontends: p.Frontends, plan: p}
	for i, f := range d.Frontends {
		d.Frontends[i].Download, d.Frontends[i].Substitutions = true, p.substitutions(f.PluginID)
	}
	if file, err := d.file(); err == nil {
		data, _ := limit.ReadFile(file, limit.Settings) // without a record, the bundler decides
		_ = json.Unmarshal(data, &d.last)               // the same
	}
	return d, nil
}

func (d *Downloads) file() (string, error) {
	file, err := d.plan.recordFile()
	return strings.TrimSuffix(file, ".json") + "-packages.json", err
}

// AreComplete reports whether nothing has changed since all packages of the frontends were there.
func (d *Downloads) AreComplete() bool {
	in, err := d.inputs(d.last.Read)
	return err == nil && in == d.last.Inputs
}

func (d *Downloads) inputs(read []string) (string, error) {
	var all []string
	for _, f := range d.Frontends {
		in, err := d.plan.bundleInputs(f, read)
		if err != nil {
			return "", err
		}
		all, read = append(all, in), nil // each file once
	}
	return strings.Join(all, " "), nil
}

// Download downloads the packages of all frontends. It returns the numbers, and the reason why dev cannot bundle them.
func (d *Downloads) Download(ctx context.Context, bundler Bundler) (*Module, error) {
	started := time.Now().Add(-clockStep)
	b, err := d.bundle(ctx, bundler)
	if err != nil {
		return nil, err
	}
	isElsewhere := func(name string) bool { return !filepath.IsLocal(filepath.FromSlash(name)) }
	sources := slices.DeleteFunc(slices.Clone(b.Inputs), isElsewhere) // the others may have just been downloaded
	isComplete := b.Development == "" && len(b.Inputs) > 0 && !d.plan.isEdited(sources, started)
	if in, err := d.inputs(b.Inputs); err == nil && isComplete {
		d.last = downloaded{Inputs: in, Read: b.Inputs}
		if data, err := json.Marshal(d.last); err == nil {
			if file, err := d.file(); err == nil {
				saveFile(file, data)
			}
		}
	}
	return b, nil
}

// bundle asks for all frontends together, or, if that fails, for one after the other.
func (d *Downloads) bundle(ctx context.Context, bundler Bundler) (*Module, error) {
	first, others := d.Frontends[0], d.Frontends[1:]
	hasSame := func(f Frontend) bool { return reflect.DeepEqual(f.Substitutions, first.Substitutions) }
	if len(others) > 0 && !slices.ContainsFunc(others, func(f Frontend) bool { return !hasSame(f) }) {
		first.With = others
		if b, err := bundler.Bundle(ctx, first); err == nil || ctx.Err() != nil {
			return b, err
		}
	}
	all := &Module{}
	for _, f := range d.Frontends {
		b, err := bundler.Bundle(ctx, f)
		if err != nil {
			return nil, err
		}
		all.Packages, all.Bytes = all.Packages+b.Packages, all.Bytes+b.Bytes
		all.Inputs, all.Development = append(all.Inputs, b.Inputs...), cmp.Or(all.Development, b.Development)
	}
	return all, nil
}
