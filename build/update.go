package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Updater brings dist in line with changed sources while a host serves it. Unlike Run, it
// replaces only the files whose contents change, each of them atomically, so no file of
// the plugin is ever missing.
type Updater struct {
	files map[string]bool // in dist, made by us; relative, slash-separated
}

// NewUpdater returns an Updater for a dist that Run has made.
func NewUpdater(dist string) (*Updater, error) {
	files, err := filesOf(dist)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dist, err)
	}
	return &Updater{files}, nil
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
// up to the Bundler of the plan. If ctx is done, or the sources have errors, dist is
// unchanged.
func (u *Updater) Update(ctx context.Context, p *Plan, compile bool) (Changes, error) {
	var c Changes
	staging, err := os.MkdirTemp(p.Repo.Root, stagingPrefix)
	if err != nil {
		return c, fmt.Errorf("prepare build: %w", err)
	}
	defer func() { _ = os.RemoveAll(staging) }()
	remove, err := p.makeTemp(staging)
	if err != nil {
		return c, err
	}
	defer remove()
	r := &Result{bundles: map[string]recordedBundle{}}
	if err := p.bundleFrontends(ctx, staging, r); err != nil {
		return c, err
	}
	bundled, err := filesOf(staging)
	if err != nil {
		return c, fmt.Errorf("list the frontend: %w", err)
	}
	kept := map[string]bool{}
	for _, command := range p.Commands {
		if !compile && exists(filepath.Join(p.Repo.Dist, filepath.FromSlash(command.Output))) {
			kept[command.Output] = true
			continue
		}
		started := time.Now()
		if _, err := p.compileOne(ctx, staging, command, recordedOutput{}); err != nil {
			return c, err
		}
		c.Compiling += time.Since(started)
	}
	if err := errors.Join(p.copyAssets(ctx, staging, r), p.writeMetadata(ctx, staging, r), ctx.Err()); err != nil {
		return c, err
	}
	made, err := filesOf(staging)
	if err != nil {
		return c, fmt.Errorf("list the build: %w", err)
	}
	changed, err := u.install(staging, p.Repo.Dist, made, kept)
	for _, file := range changed {
		switch {
		case path.Base(file) == bundle.MetadataFile:
			c.Metadata = true
		case bundled[file] || path.Base(file) == "module.js":
			c.Frontend = true
		case slices.ContainsFunc(p.Commands, func(command Command) bool { return command.Output == file }):
			c.Backend = true
		default:
			c.Assets = true
		}
	}
	return c, err
}

// install removes the files of ours that are no longer made and moves those that differ to
// dist. It returns the paths of both.
func (u *Updater) install(staging, dist string, made, kept map[string]bool) (changed []string, err error) {
	for _, file := range slices.Sorted(maps.Keys(u.files)) {
		if made[file] || kept[file] {
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

// filesOf lists the files below a directory, slash-separated. It is empty if there is no
// such directory.
func filesOf(root string) (map[string]bool, error) {
	files := map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == root {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, file)
		files[filepath.ToSlash(rel)] = true
		return err
	})
	return files, err
}

// isSame reports whether two files have the same contents and are equally executable.
func isSame(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	if err != nil || os.SameFile(one, two) {
		return err == nil
	}
	return one.Size() == two.Size() && one.Mode() == two.Mode() && hasSameContents(a, b)
}

func hasSameContents(a, b string) bool {
	one, err := os.Open(a)
	if err != nil {
		return false
	}
	defer func() { _ = one.Close() }()
	two, err := os.Open(b)
	if err != nil {
		return false
	}
	defer func() { _ = two.Close() }()
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, errOne := io.ReadFull(one, x)
		m, errTwo := io.ReadFull(two, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false
		}
		if errOne != nil || errTwo != nil {
			isEnd := func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
			return isEnd(errOne) && isEnd(errTwo)
		}
	}
}
