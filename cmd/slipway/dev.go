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

	"github.com/slipway-dev/slipway/build/bundler"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// quiet is how long to wait after a change before building: editors save in several
// steps.
const quiet = 150 * time.Millisecond

func devCommand(stdout *os.File, stderr io.Writer) *cobra.Command {
	o := server.Options{Toggles: []string{loader.ToggleServiceAccounts}}
	dir := "."
	c := &cobra.Command{
		Use:   "dev",
		Short: "Build the plugin, run it in a host, and reload it when files change",
		Long: "Build the plugin for this platform, run it in the reference host, and rebuild and reload it\n" +
			"when files change. The plugin keeps serving requests while the new build starts.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return dev(c.Context(), face(c), dir, o, stdout, stderr)
		},
	}
	hostFlags(c, &o)
	c.Flags().StringVar(&dir, "dir", dir, "plugin repository")
	return c
}

// dev builds and serves the plugin, and rebuilds and reloads it after each change,
// until ctx is done.
func dev(ctx context.Context, f verbs.Face, dir string, o server.Options, stdout *os.File, stderr io.Writer) (err error) {
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
	if !buildHere(ctx, f, stdout, repo) && ctx.Err() == nil {
		fmt.Fprintln(stdout, "waiting for changes")
	}
	if o.DataDir == "" {
		o.DataDir = filepath.Join(repo.Root, ".slipway", "data")
	}
	o.PluginDirs = []string{repo.Root}
	s, err := openHost(ctx, f, o, stdout, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeHost(s, stdout)) }()
	fmt.Fprintf(stdout, "watching %s; press Ctrl-C to stop\n", repo.Root)

	settled := time.NewTimer(time.Hour)
	settled.Stop()
	var since time.Time      // the first change that is not live
	var live <-chan struct{} // closed when the last reload has succeeded or failed
	stop := func() {}        // ends the running build and reload
	defer func() { stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.Failed():
			return err
		case err := <-watcher.Errors:
			fmt.Fprintf(stdout, "watch: %v\n", err)
			settled.Reset(quiet) // events may have been lost
		case event := <-watcher.Events:
			if !isSource(repo, event) {
				continue
			}
			if event.Has(fsnotify.Create) {
				_ = watchTree(watcher, repo, event.Name) // fails for a file, or if it is already gone
			}
			if since.IsZero() {
				since = time.Now()
			}
			settled.Reset(quiet)
		case <-settled.C:
			stop() // what it builds is out of date
			done, changed := make(chan struct{}), since
			live = done
			stop = inBackground(ctx, func(ctx context.Context) {
				if buildHere(ctx, f, stdout, repo) {
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

// buildHere builds the plugin for this platform. It prints the error and reports
// whether the build succeeded.
func buildHere(ctx context.Context, f verbs.Face, stdout *os.File, repo bundle.Repo) bool {
	_, err := verbs.Build(ctx, stdout, verbs.BuildOptions{Face: f, Dir: repo.Root, Platforms: "host", SkipCheck: true, Bundler: bundler.Bundler{}})
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(stdout, "%v\n", err)
	}
	return err == nil
}

// inBackground runs f in a goroutine. The function stop cancels its context and waits
// for it to return.
func inBackground(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { f(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// report prints the state of the plugins after a reload.
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

// watchTree watches a directory and the directories below it that can contain source.
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

// isIgnored reports whether a path in the repository is not source.
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
