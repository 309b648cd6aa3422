package verbs

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/text"
)

// depsOptions are the options of the verb deps.
type depsOptions struct {
	Face    Face
	Dir     string // the plugin repository; "" is the current directory
	Bundler build.Bundler
}

// runDeps downloads the packages that the frontends of a plugin repository import, in the
// versions of its lockfile, and prints to w how many it downloaded.
func runDeps(ctx context.Context, w *os.File, o depsOptions) error {
	repo, err := FindRepo(w, o.Dir)
	if err != nil {
		return err
	}
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
