package bundler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/bundle"
)

// Session is a build.Bundler for one repository that is built again and again. It bundles
// a frontend only after Changed, and then reuses what it can. It must not be used
// concurrently.
type Session struct {
	Dev     bool // keep names and line breaks
	Refresh bool // as in frontend.Options

	bundler   Bundler
	frontends map[string]*bundled // by source directory
}

type bundled struct {
	frontend build.Frontend
	session  *frontend.Session
	packages *provider
	last     *build.Module      // nil if it must be bundled again
	inputs   []string           // that the last bundle read
	warnings []frontend.Message // of the last bundle
}

// NewSession returns a session without frontends. The caller must close it.
func NewSession(b Bundler) *Session {
	return &Session{bundler: b, frontends: map[string]*bundled{}}
}

// Close releases what the session keeps. The next bundle starts anew, with the lockfile.
func (s *Session) Close() {
	for _, b := range s.frontends {
		b.session.Close()
	}
	clear(s.frontends)
}

// Changed makes the session bundle its frontends again: sources have changed.
func (s *Session) Changed() {
	for _, b := range s.frontends {
		b.last = nil
	}
}

// Inputs returns the files that the last bundles read, relative to the root or absolute; not all after an error.
func (s *Session) Inputs() (files []string) {
	for _, b := range s.frontends {
		if b.last != nil {
			files = append(files, b.inputs...)
		}
	}
	return files
}

// Warnings returns the warnings of the last bundles, sorted by source directory; not all after an error.
func (s *Session) Warnings() (list []frontend.Message) {
	for _, source := range slices.Sorted(maps.Keys(s.frontends)) {
		if b := s.frontends[source]; b.last != nil {
			for _, m := range b.warnings {
				if !slices.Contains(list, m) { // frontends share the configuration of a bundler
					list = append(list, m)
				}
			}
		}
	}
	return list
}

// Bundle bundles a frontend, or returns its last module if nothing has changed.
func (s *Session) Bundle(ctx context.Context, f build.Frontend) (*build.Module, error) {
	b, err := s.open(f)
	if err != nil {
		return nil, err
	}
	if b.last != nil {
		return b.last, nil
	}
	b.packages.isMissing.Store(false)
	r, err := b.session.Bundle(ctx)
	if err != nil && b.packages.isMissing.Load() {
		b.session.Close() // the next bundle looks for the packages again
		delete(s.frontends, f.Source)
		if e, ok := errors.AsType[*frontend.Error](err); ok && e.IsConfig {
			return nil, err
		}
		return nil, fmt.Errorf("%w:\n%w", build.ErrNotDownloaded, err)
	}
	if err != nil {
		return nil, err
	}
	out := &build.Module{Files: map[string][]byte{}, OnDemand: r.OnDemand}
	for _, file := range r.Files {
		out.Files[file.Path] = file.Contents
	}
	b.inputs, b.warnings = r.Read, r.Warnings
	if m := checkExports(f, r.Exports); m != nil && f.Type == bundle.TypeApp {
		b.warnings = append(b.warnings, *m)
	} else if m != nil {
		return nil, &frontend.Error{Messages: []frontend.Message{*m}}
	}
	if b.packages.Store != nil {
		out.Packages, out.Bytes = b.packages.Downloaded()
		if read, unread := b.packages.Lockfiles(); len(unread) > 0 && b.packages.isUsed.Load() {
			b.warnings = append(b.warnings, frontend.Message{
				Text: fmt.Sprintf("the packages are those of %s; not read: %s", filepath.Base(read), strings.Join(unread, ", ")),
				Help: `delete the lockfile that you no longer use, or name your package manager in package.json, for example "packageManager": "yarn@1.22.22"`,
			})
		}
	}
	if f.Type == bundle.TypeApp {
		found, err := addExtensions(ctx, f, out)
		if err != nil {
			return nil, err
		}
		b.warnings = append(b.warnings, found...)
	}
	for _, m := range b.warnings {
		out.Warnings = append(out.Warnings, m.WithHelp())
	}
	b.last = out
	return out, nil
}

func (s *Session) open(f build.Frontend) (*bundled, error) {
	if b, ok := s.frontends[f.Source]; ok {
		if reflect.DeepEqual(b.frontend, f) {
			return b, nil
		}
		b.session.Close() // plugin.json or slipway.yaml has changed
	}
	o := frontend.Options{
		Root: f.Root, Source: f.Source, PluginID: f.PluginID, MapDir: f.MapDir, MapID: f.MapID, Dev: s.Dev, Refresh: s.Refresh, IsDiscarded: f.Download, Substitutions: f.Substitutions,
	}
	store, err := s.bundler.packages(f)
	if err != nil {
		return nil, err
	}
	b := &bundled{frontend: f, packages: &provider{Store: store}}
	if store != nil {
		o.Packages = b.packages
	}
	b.session = frontend.NewSession(o)
	s.frontends[f.Source] = b
	return b, nil
}
