package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
)

// keepSide adds the side that is not built from the existing dist, as it is, but no
// manifest or signature: they are of the previous dist. Without a dist there is nothing to
// add.
func (p *Plan) keepSide(ctx context.Context, staging string, _ *Result) error {
	if p.options.Only == "" || !exists(p.Repo.Dist) {
		return nil
	}
	err := filepath.WalkDir(p.Repo.Dist, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		rel, err := filepath.Rel(p.Repo.Dist, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		target := filepath.Join(staging, filepath.FromSlash(rel))
		if p.isExecutable(rel) != (p.options.Only == OnlyFrontend) || p.isDocument(rel) || archive.IsSigning(rel) || exists(target) {
			return nil
		}
		return linkOrCopy(file, target)
	})
	if err != nil {
		return fmt.Errorf("keep the rest of dist: %w", err)
	}
	if p.options.Only == OnlyBackend {
		return p.keepExtensions()
	}
	return nil
}

// keepExtensions adds what the existing frontends register to plugin.json.
func (p *Plan) keepExtensions() error {
	for i := range p.documents {
		d := &p.documents[i]
		data, err := os.ReadFile(filepath.Join(p.Repo.Dist, filepath.FromSlash(d.to)))
		if err != nil {
			continue // a new plugin
		}
		after, err := bundle.ParseDocument(d.to, d.data)
		if err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
		for _, key := range []string{"generated", "extensions"} {
			value, err := memberOf(data, key)
			if err != nil || value == nil || after.Has("/"+key) {
				continue
			}
			if d.data, err = withMember(d.data, key, value); err != nil {
				return fmt.Errorf("edit %s: %w", d.to, err)
			}
		}
	}
	return nil
}

// isExecutable reports whether a path in dist is that of an executable of a backend, for
// any platform.
func (p *Plan) isExecutable(rel string) bool {
	name, _, ok := bundle.SplitExecutable(path.Base(rel))
	return ok && slices.ContainsFunc(p.backends, func(b backend) bool { return b.executable == path.Join(path.Dir(rel), name) })
}

func (p *Plan) isDocument(rel string) bool {
	return slices.ContainsFunc(p.documents, func(d document) bool { return d.to == rel })
}
