package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Result is the result of a build.
type Result struct {
	Dist        string // absolute
	Executables []Executable
	Warnings    []string // about the sources, each with its place
	Took        time.Duration
}

// Executable is one executable of a build.
type Executable struct {
	Platform bundle.Platform
	File     string // relative to dist
	Size     int64  // bytes
	UpToDate bool   // kept from the previous build

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
		return nil, fmt.Errorf("prepare build: dist is made in the repository, which must be writable: %w", err)
	}
	defer func() { _ = os.RemoveAll(staging) }()
	r := &Result{Dist: p.Repo.Dist}
	// The steps of a build, in order. Those before replaceDist work in the staging
	// directory.
	for _, step := range []func(context.Context, string, *Result) error{
		p.runBundler,      // module.js, by the repository's own bundler
		p.bundleFrontends, // module.js, by ours
		p.compile,         // executables, in parallel
		p.copyAssets,      // images, texts, frontends that need no bundling
		p.keepSide,        // the other side, if only one is built
		p.writeMetadata,   // plugin.json
		p.checkBackends,   // those of this machine really start
		p.replaceDist,     // from here on the new build is visible
		p.writeRecord,     // for the next build
		p.sweep,           // leftovers of killed builds
	} {
		if err := step(ctx, staging, r); err != nil {
			return nil, err
		}
	}
	r.Took = time.Since(started)
	return r, nil
}

// Plugin plans and runs a build.
func Plugin(ctx context.Context, o Options) (*Result, error) {
	p, err := MakePlan(ctx, o)
	if err != nil {
		return nil, err
	}
	return Run(ctx, p)
}

// previousSuffix ends the name of a dist that is being replaced.
const previousSuffix = "-previous"

// recover restores the dist of a build that was killed while replacing it, or while the
// repository's own bundler wrote to it.
func (p *Plan) recover() error {
	if aside, err := filepath.Glob(filepath.Join(p.Repo.Root, stagingPrefix+"*"+asideSuffix)); err == nil && len(aside) > 0 {
		return p.restore(aside[len(aside)-1])
	}
	if exists(p.Repo.Dist) {
		return nil
	}
	previous, err := filepath.Glob(filepath.Join(p.Repo.Root, stagingPrefix+"*"+previousSuffix))
	if err != nil || len(previous) == 0 {
		return nil
	}
	if err := os.Rename(previous[len(previous)-1], p.Repo.Dist); err != nil {
		return fmt.Errorf("restore the previous dist: %w", err)
	}
	return nil
}

// sweep removes old staging directories. Recent ones may be in use.
func (p *Plan) sweep(context.Context, string, *Result) error {
	old, err := filepath.Glob(filepath.Join(p.Repo.Root, stagingPrefix+"*"))
	if err != nil {
		return nil
	}
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
	return nil
}

func (p *Plan) copyAssets(_ context.Context, staging string, _ *Result) error {
	for _, a := range p.Assets {
		if p.options.Frontend.Command != "" && exists(filepath.Join(staging, filepath.FromSlash(a.To))) {
			continue // the repository's own bundler wrote it
		}
		if err := copyFile(filepath.Join(p.Repo.Root, a.From), filepath.Join(staging, filepath.FromSlash(a.To))); err != nil {
			return fmt.Errorf("copy %s: %w", a.From, err)
		}
	}
	return nil
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

// replaceDist replaces dist with the staging directory. If that fails halfway, it
// restores the previous dist.
func (p *Plan) replaceDist(_ context.Context, staging string, _ *Result) error {
	if err := os.Chmod(staging, 0o755); err != nil {
		return fmt.Errorf("replace dist: %w", err)
	}
	previous := staging + previousSuffix
	err := os.Rename(p.Repo.Dist, previous)
	hadDist := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace dist (is an executable in it running?): %w", err)
	}
	if err := os.Rename(staging, p.Repo.Dist); err != nil {
		if hadDist {
			err = errors.Join(err, os.Rename(previous, p.Repo.Dist))
		}
		return fmt.Errorf("replace dist: %w", err)
	}
	_ = os.RemoveAll(previous) // a later sweep removes what is left
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

func humanSize(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/1e6), ".0") + " MB"
}
