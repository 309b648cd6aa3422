// Package bundler bundles frontends for package build: with esbuild (build/frontend), packages
// in the versions of the lockfile (build/packages) and the extensions that apps register
// (build/extensions). It owns the cache of packages that repositories share.
package bundler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/extensions"
	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/bundle"
)

// Bundler is a build.Bundler. Its zero value uses the user's cache and the environment.
type Bundler struct {
	CacheDir string   // of packages; "" is in the user's cache
	Environ  []string // for npm's configuration; nil is os.Environ
}

// Bundle bundles a frontend for release. With f.Download, it only downloads the packages that this and a bundle for
// development need.
func (b Bundler) Bundle(ctx context.Context, f build.Frontend) (*build.Module, error) {
	s := NewSession(b)
	defer s.Close()
	if !f.Download {
		return s.Bundle(ctx, f)
	}
	f.Type = "" // a build finds what is wrong with the exports
	dev := NewSession(b)
	dev.Dev = true
	defer dev.Close()
	if _, err := s.Bundle(ctx, f); err != nil {
		return nil, err
	}
	out := &build.Module{}
	if _, err := dev.Bundle(ctx, f); ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		out.Development = err.Error()
	}
	for _, s := range []*Session{s, dev} {
		if d, ok := s.frontends[f.Source]; ok && d.packages.Store != nil {
			n, size := d.packages.Downloaded()
			out.Packages, out.Bytes = out.Packages+n, out.Bytes+size
		}
	}
	return out, nil
}

// packages returns the packages of the repository's lockfile, or nil if it has none.
func (b Bundler) packages(f build.Frontend) (*packages.Store, error) {
	cache := b.CacheDir
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("find cache directory: %w", err)
		}
		cache = filepath.Join(user, "slipway", "npm")
	}
	environ := b.Environ
	if environ == nil {
		environ = os.Environ()
	}
	store, err := packages.Open(packages.Options{Root: f.Root, CacheDir: cache, Environ: environ, Offline: !f.Download})
	if errors.Is(err, packages.ErrNoLockfile) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return store, err
}

// provider notes whether a package was missing, and whether one was there.
type provider struct {
	*packages.Store
	isMissing, isUsed atomic.Bool
}

// Dir implements frontend.Packages.
func (p *provider) Dir(ctx context.Context, importer, name string) (dir string, ok bool, err error) {
	dir, ok, err = p.Store.Dir(ctx, importer, name)
	if errors.Is(err, packages.ErrMissing) {
		p.isMissing.Store(true)
	} else if ok {
		p.isUsed.Store(true)
	}
	return dir, ok, err
}

// addExtensions adds what an app registers, for each profile, and returns the warnings.
func addExtensions(ctx context.Context, f build.Frontend, to *build.Module) ([]frontend.Message, error) {
	found, err := extensions.Find(ctx, extensions.Options{Root: f.Root, Source: f.Source})
	if err != nil {
		return nil, fmt.Errorf("find extensions: %w", err)
	}
	if list := found.Generated(); len(list) > 0 {
		if to.Extensions, err = json.Marshal(list); err != nil {
			return nil, err
		}
	}
	if len(found.Extensions)+len(found.Exposed) > 0 {
		to.Declared, err = json.Marshal(found.Declared())
	}
	return found.Warnings, err
}

// checkExports returns what is wrong with the names that a frontend exports, as rule plugin-not-exported has it.
func checkExports(f build.Frontend, names []string) *frontend.Message {
	constructor := map[bundle.Type]string{
		bundle.TypeApp: "AppPlugin", bundle.TypePanel: "PanelPlugin", bundle.TypeDatasource: "DataSourcePlugin",
	}[f.Type]
	isPlugin := func(name string) bool { return slices.Contains(f.Type.Exports(), name) }
	if constructor == "" || names == nil || slices.ContainsFunc(names, isPlugin) {
		return nil
	}
	m := frontend.Message{Line: 1, Column: 1, Text: "the frontend does not export the plugin to hosts"}
	if f.Type == bundle.TypeApp {
		m.Text += ", which show an app without pages"
	}
	if len(names) > 0 {
		m.Text += "; it exports " + strings.Join(names, ", ")
	}
	m.Help = fmt.Sprintf("write export const plugin = new %s(...), or export { plugin } from the file that has it", constructor)
	if rel, err := filepath.Rel(f.Root, frontend.Entry(f.Source)); err == nil {
		m.File = filepath.ToSlash(rel)
	}
	return &m
}
