package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/process"
)

// Updater brings dist in line with changed sources while a host serves it. Unlike Run, it
// replaces only the files whose contents change, each of them atomically, so no file of
// the plugin is ever missing. The exception is a repository whose own bundler writes to
// dist. The zero Updater is ready for use.
type Updater struct {
	files map[string]bool // in dist, made by builds; relative, slash-separated; nil until the first update
}

// Changes are the parts of dist that an update has changed.
type Changes struct {
	Backend  bool
	Frontend bool // module.js and what it loads
	Assets   bool
	Metadata bool // plugin.json
	// Compiling is the time that the go command took.
	Compiling time.Duration
}

// Names returns the names of the parts that have changed, never nil.
func (c Changes) Names() []string {
	names := []string{}
	for _, part := range []struct {
		name    string
		changed bool
	}{{"backend", c.Backend}, {"frontend", c.Frontend}, {"assets", c.Assets}, {"metadata", c.Metadata}} {
		if part.changed {
			names = append(names, part.name)
		}
	}
	return names
}

// Update executes the plan and returns what changed in dist. It compiles the backend only
// if compile is true or an executable is missing. Whether frontends are bundled again is
// up to the Bundler of the plan; the repository's own bundler runs only if command is true.
// If ctx is done, or the sources have errors, dist is unchanged.
func (u *Updater) Update(ctx context.Context, p *Plan, compile, command bool) (c Changes, err error) {
	unlock, err := p.lock(ctx)
	if err != nil {
		return c, err
	}
	defer unlock()
	if u.files == nil {
		if u.files, err = p.ownFiles(); err != nil {
			return c, fmt.Errorf("list %s: %w", p.Repo.Dist, err)
		}
	}
	staging, err := os.MkdirTemp(p.Repo.Root, stagingPrefix)
	if err != nil {
		return c, fmt.Errorf("prepare build: %w", err)
	}
	defer func() { _ = process.RemoveAll(staging) }()
	remove, err := p.makeTemp(staging)
	if err != nil {
		return c, err
	}
	defer remove()
	kept := map[string]bool{}
	steps := []step{p.runBundler, p.bundleFrontends}
	if p.options.Frontend.Command != "" && !command {
		steps = nil
		for name := range u.files { // what that bundler wrote, and the assets
			kept[name] = !p.isExecutable(name) && !archive.IsSigning(name)
		}
	}
	r := &Result{bundles: map[string]recordedBundle{}}
	run := func(steps ...step) error {
		for _, step := range steps {
			if err := errors.Join(step(ctx, staging, r), ctx.Err()); err != nil {
				return err
			}
		}
		return nil
	}
	if err := run(steps...); err != nil {
		return c, err
	}
	bundled, err := fileStates(staging)
	if err != nil {
		return c, fmt.Errorf("list the frontend: %w", err)
	}
	for _, executable := range p.Commands {
		if !compile && exists(filepath.Join(p.Repo.Dist, filepath.FromSlash(executable.Output))) {
			kept[executable.Output] = true
			continue
		}
		started := time.Now()
		if _, err := p.compileOne(ctx, staging, executable, recordedOutput{}); err != nil {
			return c, err
		}
		c.Compiling += time.Since(started)
	}
	steps = []step{p.writeMetadata, p.normalize}
	if p.options.Frontend.Command == "" || command {
		steps = append([]step{p.copyAssets}, steps...)
	}
	if err := run(steps...); err != nil {
		return c, err
	}
	made, err := fileStates(staging)
	if err != nil {
		return c, fmt.Errorf("list the build: %w", err)
	}
	p.recordFiles(made)
	changed, err := u.install(staging, p.Repo.Dist, made, kept)
	for _, file := range changed {
		_, isBundled := bundled[file]
		switch {
		case path.Base(file) == bundle.MetadataFile:
			c.Metadata = true
		case isBundled || path.Base(file) == "module.js":
			c.Frontend = true
		case p.isExecutable(file):
			c.Backend = true
		default:
			c.Assets = true
		}
	}
	return c, err
}

// install removes the files of ours that are no longer made and moves those that differ to
// dist. It returns the paths of both.
func (u *Updater) install(staging, dist string, made map[string]fileState, kept map[string]bool) (changed []string, err error) {
	for _, file := range slices.Sorted(maps.Keys(u.files)) {
		if _, isMade := made[file]; isMade || kept[file] {
			continue
		}
		if err := os.Remove(filepath.Join(dist, filepath.FromSlash(file))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return changed, fmt.Errorf("update dist: %w", err)
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if os.Remove(filepath.Join(dist, filepath.FromSlash(dir))) != nil {
				break // not empty
			}
		}
		delete(u.files, file)
		changed = append(changed, file)
	}
	for _, file := range slices.SortedFunc(maps.Keys(made), inOrder) {
		u.files[file] = true
		from, to := filepath.Join(staging, filepath.FromSlash(file)), filepath.Join(dist, filepath.FromSlash(file))
		if isSame(from, to) {
			continue
		}
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.Rename(from, to)
		}
		if err != nil {
			return changed, fmt.Errorf("update dist: %w", err)
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// inOrder orders the files of an update: module.js after what it loads, and plugin.json,
// which refers to all the others, last.
func inOrder(a, b string) int {
	rank := func(file string) int {
		return slices.Index([]string{"module.js", bundle.MetadataFile}, path.Base(file))
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// isSame reports whether two files have the same contents and mode.
func isSame(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	if err != nil || one.Mode() != two.Mode() {
		return false
	}
	same, err := sameContents(a, b)
	return err == nil && same
}
