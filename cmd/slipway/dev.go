package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// quiet is how long nothing must change before a rebuild: editors save in several
// steps.
const quiet = 150 * time.Millisecond

func devCommand(stdout *os.File, stderr io.Writer) *cobra.Command {
	o := server.Options{Toggles: []string{loader.ToggleServiceAccounts}}
	dir := "."
	c := &cobra.Command{
		Use:   "dev",
		Short: "Build the plugin, run it in a host, rebuild and swap it as you edit",
		Args:  arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return dev(c.Context(), dir, o, stdout, stderr)
		},
	}
	hostFlags(c, &o)
	c.Flags().StringVar(&dir, "dir", dir, "the plugin repository")
	return c
}

// dev builds, serves, and does both again after each change until ctx ends.
func dev(ctx context.Context, dir string, o server.Options, stdout *os.File, stderr io.Writer) (err error) {
	repo, err := bundle.OpenRepo(dir)
	if err != nil {
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", repo.Root, err)
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	if err := watchTree(watcher, repo, repo.Root); err != nil {
		return err
	}
	if !buildHere(ctx, stdout, repo) && ctx.Err() == nil {
		fmt.Fprintln(stdout, "waiting for a change that builds")
	}
	if o.DataDir == "" {
		o.DataDir = filepath.Join(repo.Root, ".slipway", "data")
	}
	o.PluginDirs = []string{repo.Root}
	s, err := openHost(ctx, o, stdout, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeHost(s, stdout)) }()
	fmt.Fprintf(stdout, "watching %s; Ctrl-C stops\n", repo.Root)

	settled := time.NewTimer(time.Hour)
	settled.Stop()
	var since time.Time      // the first change that is not live
	var live <-chan struct{} // closed when what was last started runs, or has failed
	stop := func() {}        // ends the build and swap under way
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.Failed():
			return err
		case err := <-watcher.Errors:
			fmt.Fprintf(stdout, "watching: %v\n", err)
			settled.Reset(quiet) // events may be lost: build to be safe
		case event := <-watcher.Events:
			if !isSource(repo, event) {
				continue
			}
			if event.Has(fsnotify.Create) {
				_ = watchTree(watcher, repo, event.Name) // a file, or already gone
			}
			if since.IsZero() {
				since = time.Now()
			}
			settled.Reset(quiet)
		case <-settled.C:
			stop() // it is out of date
			done, changed := make(chan struct{}), since
			live = done
			stop = inBackground(ctx, func(ctx context.Context) {
				if buildHere(ctx, stdout, repo) {
					if err := s.Mount(ctx); err == nil {
						report(stdout, s.Loader(), changed)
					} else if ctx.Err() == nil {
						fmt.Fprintf(stdout, "plugins not mounted: %v\n", err)
					}
				}
				if ctx.Err() == nil {
					close(done)
				}
			})
		case <-live:
			since, live = time.Time{}, nil
		}
	}
}

// buildHere builds for this platform and prints why it cannot.
func buildHere(ctx context.Context, stdout *os.File, repo bundle.Repo) bool {
	_, err := verbs.Build(ctx, stdout, verbs.BuildOptions{Dir: repo.Root, Platforms: "host"})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(stdout, "%v\n", err)
	}
	return err == nil
}

// inBackground runs f and returns what ends it and waits for its end.
func inBackground(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// report says what runs after a rebuild.
func report(w io.Writer, l *loader.Loader, since time.Time) {
	took := ""
	if !since.IsZero() {
		took = fmt.Sprintf(", %.1fs after the change", time.Since(since).Seconds())
	}
	for _, p := range l.Plugins() {
		status := p.Status()
		if status.Reason != "" {
			state := ""
			if status.State != loader.StateRunning {
				state = fmt.Sprintf(" is %s", status.State)
			}
			fmt.Fprintf(w, "%s%s: %s\n", p.ID(), state, status.Reason)
			continue
		}
		fmt.Fprintf(w, "%s %s is live%s\n", p.ID(), p.Bundle().Metadata.Info.Version, took)
	}
	for _, f := range l.Faults() {
		fmt.Fprintf(w, "%s: %s\n", f.Path, f.Reason)
	}
}

// watchTree watches a folder and those below it that hold source.
func watchTree(w *fsnotify.Watcher, repo bundle.Repo, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path != repo.Root && isIgnored(repo, path) {
			return filepath.SkipDir
		}
		return w.Add(path)
	})
}

// isIgnored says whether a path below the repository is no source.
func isIgnored(repo bundle.Repo, path string) bool {
	rel, err := filepath.Rel(repo.Root, path)
	if err != nil {
		return true
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(part, ".") || part == "node_modules" {
			return true
		}
	}
	return rel == bundle.DistDir || strings.HasPrefix(rel, bundle.DistDir+string(filepath.Separator))
}

func isSource(repo bundle.Repo, e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	return !isIgnored(repo, e.Name) && e.Op != fsnotify.Chmod && !strings.HasSuffix(name, "~") && name != "4913"
}
