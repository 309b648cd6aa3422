package build

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/text"
)

// Result is the result of a build.
type Result struct {
	Dist        string // absolute
	Executables []Executable
	Warnings    []string // about the sources, each with its place
	Changes     Changes
	Took        time.Duration

	previous  record // of the builds before
	frontends []part
	assets    part
	bundled   []string // the files of the frontends, relative to dist
	foreign   []string // the files of dist that no build wrote and that stay
	changed   []string // the files that install adds or replaces, in this order
	removed   []string // the files that install removes
}

// Executable is one executable of a build.
type Executable struct {
	Platform bundle.Platform
	File     string // relative to dist
	Size     int64  // bytes
	UpToDate bool   // its contents are those in the previous dist
	Took     time.Duration
}

// stagingPrefix begins the names of the directories that builds work in.
const stagingPrefix = ".slipway-build-"

// Run executes the plan. Unless everything succeeds, dist stays unchanged.
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
	r := &Result{Dist: p.Repo.Dist, Warnings: p.warnings, previous: p.readRecord()}
	for _, step := range p.steps() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := step(ctx, staging, r); err != nil {
			return nil, err
		}
	}
	p.sweep()
	p.printTable(r)
	r.Took = time.Since(started)
	return r, nil
}

type step func(ctx context.Context, staging string, r *Result) error

// steps returns the steps of a build, in order. Those before install work in staging.
func (p *Plan) steps() []step {
	return []step{
		p.runBundler,      // module.js, by the repository's own bundler
		p.bundleFrontends, // module.js, by ours
		p.compile,         // executables, in parallel
		p.addGoSums,       // the list of Go files
		p.copyAssets,      // images, texts, frontends that need no bundling
		p.checkCreated,    // what plugin.json names and the sources lack
		p.keepSide,        // the other side, if only one is built
		p.writeMetadata,   // plugin.json
		p.normalize,       // modes
		p.checkBackends,   // those of this machine really start
		p.keepForeign,     // files of dist that no build made
		p.compare,         // with dist
		p.writeRecord,     // for the next build
		p.install,         // from here on the new build is visible
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

// sweep removes the staging directories of builds that were killed.
func (p *Plan) sweep() {
	for _, dir := range leftovers(p.Repo.Root, "") {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = os.RemoveAll(dir)
		}
	}
}

func (p *Plan) copyAssets(_ context.Context, staging string, r *Result) error {
	started := time.Now()
	r.assets = part{name: "assets", content: text.Plural(len(p.Assets), "file")}
	for _, a := range p.Assets {
		to := filepath.Join(staging, filepath.FromSlash(a.To))
		if exists(to) {
			continue // the repository's own bundler wrote it, or its configuration copies another file
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

// copyAsset copies an asset, with the placeholders in a README.md replaced, as existing bundlers do.
func (p *Plan) copyAsset(a Asset, to string) error {
	from := filepath.Join(p.Repo.Root, a.From)
	if path.Base(a.To) != "README.md" {
		return copyFile(from, to)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, []byte(p.placeholders(p.Metadata.ID).Replace(string(text))))
}

// writeMetadata writes plugin.json, and those of nested plugins.
func (p *Plan) writeMetadata(_ context.Context, staging string, _ *Result) error {
	for _, d := range p.documents {
		if err := writeFile(filepath.Join(staging, filepath.FromSlash(d.to)), d.data); err != nil {
			return fmt.Errorf("write %s: %w", d.to, err)
		}
	}
	return nil
}

// normalize sets the modes of directories and files, which depend on the umask.
func (p *Plan) normalize(_ context.Context, staging string, _ *Result) error {
	err := filepath.WalkDir(staging, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 { // what a link points to keeps its mode
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
