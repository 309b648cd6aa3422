package build

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
)

// keepSide adds the side that is not built from the existing dist, if any, but not MANIFEST.txt, which Grafana signed
// for the previous one.
func (p *Plan) keepSide(ctx context.Context, staging string, r *Result) error {
	if p.options.Only == "" || !exists(p.Repo.Dist) {
		return nil
	}
	err := p.walkDist(func(name, file string) error {
		target := filepath.Join(staging, filepath.FromSlash(name))
		isOther := p.isOfBackend(name) == (p.options.Only == OnlyFrontend)
		isDocument := slices.ContainsFunc(p.documents, func(d document) bool { return d.to == name })
		if !isOther || isDocument || name == "MANIFEST.txt" || exists(target) {
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
		var built map[string]json.RawMessage
		_ = json.Unmarshal(data, &built) // nothing is kept unless it is an object
		for _, key := range []string{"generated", "extensions"} {
			if value := built[key]; err == nil && value != nil && !after.Has("/"+key) {
				d.data, err = withMember(d.data, key, value)
			}
		}
		if err != nil {
			return fmt.Errorf("edit %s: %w", d.to, err)
		}
	}
	return nil
}

// isOfBackend reports whether a path in dist is that of an executable, for any platform, or of the list of Go files.
func (p *Plan) isOfBackend(rel string) bool {
	name, _, ok := bundle.SplitExecutable(path.Base(rel))
	isOne := func(b backend) bool { return b.executable == path.Join(path.Dir(rel), name) }
	return rel == GoSumsFile || ok && slices.ContainsFunc(p.backends, isOne)
}
