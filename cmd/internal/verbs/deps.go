package verbs

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/typecheck"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/text"
)

type depsOptions struct {
	Face    Face
	Dir     string // the plugin repository; "" is the current directory
	Types   bool   // also what checks types
	Bundler build.Bundler
}

// runDeps downloads the packages of a plugin repository, and what checks its types.
func runDeps(ctx context.Context, w *os.File, o depsOptions) error {
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return err
	}
	if err := downloadPackages(ctx, w, repo, o); err != nil || !o.Types {
		return err
	}
	return bringTypes(ctx, w, repo.Root)
}

// bringTypes lays out node_modules for the compiler of TypeScript, and prints what it did.
func bringTypes(ctx context.Context, w *os.File, root string) error {
	started := time.Now()
	stop := progress.Task{W: w, IsTerminal: isTerminal(w), Name: "laying out types"}.Start()
	defer stop()
	b, err := typecheck.Bring(ctx, typecheck.Options{Root: root})
	if err != nil {
		return fmt.Errorf("deps: %w", err)
	}
	stop()
	switch {
	case b.IsInstalled:
		fmt.Fprintln(w, "types: a package manager wrote node_modules, which stays as it is")
	case b.Packages == 0:
		fmt.Fprintln(w, "types: node_modules is that of the lockfile")
	default:
		fmt.Fprintf(w, "types: laid out %s in node_modules, of which %s came over the network, in %.1fs\n",
			text.Plural(int(b.Packages), "package"), progress.Size(b.Bytes), time.Since(started).Seconds())
	}
	for _, left := range b.Left {
		fmt.Fprintf(w, "note: left out: %s\n", left)
	}
	c, err := typecheck.Find(ctx, typecheck.Options{Root: root})
	if err != nil {
		return fmt.Errorf("deps: types cannot be checked: %w", err)
	}
	fmt.Fprintf(w, "types: checked by %s\n", c)
	return nil
}

// downloadPackages downloads the packages that the frontends of a plugin repository import, in the
// versions of its lockfile, and prints to w how many it downloaded.
func downloadPackages(ctx context.Context, w *os.File, repo bundle.Repo, o depsOptions) error {
	o.Dir = repo.Root
	t, err := openSources(o.Face, repo, "")
	if err != nil {
		return err
	}
	defer t.close()
	var b build.Options
	if _, err := t.configureBuild(BuildOptions{Dir: o.Dir}, &b); err != nil {
		return err
	}
	if b.Frontend.Command != "" {
		fmt.Fprintln(w, "the repository's own bundler, frontend.command in "+config.FileName+", needs no packages from Slipway")
		return nil
	}
	frontends, err := build.ToDownload(repo, b.Frontend)
	if err != nil {
		return fmt.Errorf("deps: %w", err)
	}
	if len(frontends) == 0 {
		fmt.Fprintln(w, "no frontend to bundle, so there are no packages to download")
		return nil
	}
	started := time.Now()
	bundler, err := build.Prepare(ctx, o.Bundler)
	if err != nil {
		return fmt.Errorf("deps: %w", err)
	}
	stop := progress.Task{W: w, IsTerminal: isTerminal(w), Name: "resolving imports"}.Start()
	defer stop()
	all, err := build.Download(ctx, bundler, frontends)
	if err != nil {
		return fmt.Errorf("deps: %w", err)
	}
	stop()
	if all.Development != "" {
		fmt.Fprintln(w, "warning: build can bundle the frontend, but dev cannot: "+all.Development)
	}
	if all.Packages == 0 {
		fmt.Fprintln(w, "nothing to download")
		return nil
	}
	fmt.Fprintf(w, "downloaded %s, %s, in %.1fs\n", text.Plural(int(all.Packages), "package"), progress.Size(all.Bytes), time.Since(started).Seconds())
	return nil
}
