package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

// Result is the result of a build.
type Result struct {
	Dist        string // absolute
	Executables []Executable
	Warnings    []string // about the sources, each with its place
	Took        time.Duration

	previous  record                    // of the build that made dist
	bundles   map[string]recordedBundle // of this build, by directory in dist
	frontends []part
	assets    part
	copied    map[string]inputs // what the steps that always run used, by step
}

// Executable is one executable of a build.
type Executable struct {
	Platform bundle.Platform
	File     string // relative to dist
	Size     int64  // bytes
	UpToDate bool   // kept from the previous build
	Took     time.Duration

	isNew bool // its contents differ from those in the previous dist
}

// stagingPrefix begins the names of the directories that builds work in.
const stagingPrefix = ".slipway-build-"

// Run executes the plan. It replaces dist if everything succeeded, and leaves it
// unchanged otherwise.
func Run(ctx context.Context, p *Plan) (*Result, error) {
	started := time.Now()
	unlock, err := p.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := p.recover(); err != nil {
		return nil, err
	}
	staging, err := os.MkdirTemp(p.Repo.Root, stagingPrefix)
	if err != nil {
		return nil, fmt.Errorf("prepare build: dist is built in the repository, which must be writable: %w", err)
	}
	defer func() { _ = process.RemoveAll(staging) }()
	r := &Result{Dist: p.Repo.Dist, previous: p.readRecord(), bundles: map[string]recordedBundle{}, Warnings: p.warnings}
	r.copied = p.copiedInputs(r.previous)
	for _, step := range p.steps() {
		if err := step(ctx, staging, r); err != nil {
			return nil, err
		}
	}
	r.Took = time.Since(started)
	return r, nil
}

// step is a step of a build.
type step func(ctx context.Context, staging string, r *Result) error

// steps returns the steps of a build, in order. Those before replaceDist work in the
// staging directory.
func (p *Plan) steps() []step {
	return []step{
		p.explain,         // if asked for
		p.runBundler,      // module.js, by the repository's own bundler
		p.bundleFrontends, // module.js, by ours
		p.compile,         // executables, in parallel
		p.copyAssets,      // images, texts, frontends that need no bundling
		p.keepSide,        // the other side, if only one is built
		p.writeMetadata,   // plugin.json
		p.normalize,       // modes
		p.checkBackends,   // those of this machine really start
		p.keepForeign,     // files of dist that no build made
		p.writeRecord,     // for the next build
		p.replaceDist,     // from here on the new build is visible
		p.sweep,           // leftovers of killed builds
		p.printTable,      // the parts of dist
	}
}

// Plugin plans and runs a build.
func Plugin(ctx context.Context, o Options) (*Result, error) {
	p, err := MakePlan(ctx, o)
	if err != nil {
		return nil, err
	}
	return Run(ctx, p)
}

// The suffixes of a dist that is being replaced, and of one that has been.
const (
	previousSuffix = "-previous"
	oldSuffix      = "-old"
)

// recover restores the dist of a build that was killed while replacing it, or while the
// repository's own bundler wrote to it.
func (p *Plan) recover() error {
	if aside := leftovers(p.Repo.Root, asideSuffix); len(aside) > 0 {
		return p.restore(aside[len(aside)-1])
	}
	previous := leftovers(p.Repo.Root, previousSuffix)
	if len(previous) == 0 {
		return nil
	}
	if !exists(p.Repo.Dist) {
		if err := os.Rename(previous[len(previous)-1], p.Repo.Dist); err != nil {
			return fmt.Errorf("restore the previous dist: %w", err)
		}
		return nil
	}
	for _, dir := range previous { // of builds that were killed later: they must not be restored
		_ = os.Rename(dir, strings.TrimSuffix(dir, previousSuffix)+oldSuffix)
	}
	return nil
}

// leftovers lists the directories that builds work in and whose names have a suffix.
func leftovers(root, suffix string) (dirs []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagingPrefix) && strings.HasSuffix(e.Name(), suffix) {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	return dirs
}

// sweep removes the staging directories of builds that were killed.
func (p *Plan) sweep(context.Context, string, *Result) error {
	for _, dir := range leftovers(p.Repo.Root, "") {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = os.RemoveAll(dir)
		}
	}
	return nil
}

func (p *Plan) copyAssets(_ context.Context, staging string, r *Result) error {
	started := time.Now()
	r.assets = part{name: "assets", content: files(len(p.Assets)), isUpToDate: p.copyChange(stepAssets, r) == ""}
	for _, a := range p.Assets {
		to := filepath.Join(staging, filepath.FromSlash(a.To))
		if p.options.Frontend.Command != "" && exists(to) {
			continue // the repository's own bundler wrote it
		}
		if err := p.copyAsset(a, to); err != nil {
			return fmt.Errorf("copy %s: %w", a.From, err)
		}
		if info, err := os.Stat(to); err == nil {
			r.assets.size += info.Size()
		}
	}
	r.assets.took = time.Since(started)
	return nil
}

// readme is the file whose placeholders are replaced.
const readme = "README.md"

// copyAsset copies an asset, and replaces the placeholders in a README.md, as the existing
// bundler configurations do.
func (p *Plan) copyAsset(a Asset, to string) error {
	from := filepath.Join(p.Repo.Root, a.From)
	if path.Base(a.To) != readme {
		return copyFile(from, to)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, []byte(p.placeholders(p.Metadata.ID).Replace(string(text))), 0o644)
}

// writeMetadata writes plugin.json, and those of nested plugins.
func (p *Plan) writeMetadata(_ context.Context, staging string, _ *Result) error {
	for _, d := range p.documents {
		target := filepath.Join(staging, filepath.FromSlash(d.to))
		err := os.MkdirAll(filepath.Dir(target), 0o755)
		if err == nil {
			err = os.WriteFile(target, d.data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", d.to, err)
		}
	}
	return nil
}

// normalize sets the modes of directories and files, which depend on the umask.
func (p *Plan) normalize(_ context.Context, staging string, _ *Result) error {
	err := filepath.WalkDir(staging, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() || info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		if info.Mode().Perm() == mode {
			return nil
		}
		return os.Chmod(file, mode)
	})
	if err != nil {
		return fmt.Errorf("set modes: %w", err)
	}
	return nil
}

// replaceDist replaces dist with the staging directory. If that fails halfway, it
// restores the previous dist.
func (p *Plan) replaceDist(_ context.Context, staging string, _ *Result) error {
	previous := staging + previousSuffix
	err := os.Rename(p.Repo.Dist, previous)
	hadDist := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if runtime.GOOS == "windows" {
			return fmt.Errorf("replace dist (is an executable in it running?): %w", err)
		}
		return fmt.Errorf("replace dist: %w", err)
	}
	if err := os.Rename(staging, p.Repo.Dist); err != nil {
		if hadDist {
			err = errors.Join(err, os.Rename(previous, p.Repo.Dist))
		}
		return fmt.Errorf("replace dist: %w", err)
	}
	if old := staging + oldSuffix; os.Rename(previous, old) == nil {
		_ = os.RemoveAll(old) // a later sweep removes what is left
	}
	return nil
}

// linkOrCopy makes a hard link to a file, or a copy if that is not possible.
func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	return copyFile(from, to)
}

// copyFile copies the contents of a file and whether it is executable.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
