package build

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
)

// keepSide adds the side that is not built from the existing dist, as it is, but no
// MANIFEST.txt, which Grafana signed for the previous dist. Without a dist there is nothing to
// add.
func (p *Plan) keepSide(ctx context.Context, staging string, r *Result) error {
	if p.options.Only == "" || !exists(p.Repo.Dist) {
		return nil
	}
	err := p.walkDist(func(name, file string) error {
		target := filepath.Join(staging, filepath.FromSlash(name))
		isOther := p.isOfBackend(name) == (p.options.Only == OnlyFrontend)
		if !isOther || p.isDocument(name) || name == "MANIFEST.txt" || exists(target) {
			return ctx.Err()
		}
		if p.options.Update && !p.isOwn(name, r.previous) {
			return nil // it stays where it is
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

// isOfBackend reports whether a path in dist is that of a file of a backend.
func (p *Plan) isOfBackend(rel string) bool { return rel == GoSumsFile || p.isExecutable(rel) }

func (p *Plan) isDocument(rel string) bool {
	return slices.ContainsFunc(p.documents, func(d document) bool { return d.to == rel })
}
