package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/loader"
)

const (
	// quiet is how long files must be unchanged before dev builds: editors save in
	// several steps.
	quiet = 50 * time.Millisecond
	// longestWait limits how long dev waits for that.
	longestWait = time.Second
	// failureQuiet is how long files must be unchanged before dev prints a failure. A
	// file may be half written, or the next one that is saved may be the fix.
	failureQuiet = 800 * time.Millisecond
	// pollEvery is how often dev looks for files that were deleted from dist.
	pollEvery = time.Second
)

// devOptions are the options of dev.
type devOptions struct {
	server.Options
	dir   string
	open  bool
	debug bool // run the backend under Delve

	preview previewOptions
}

func devVerb() verbs.Verb {
	o := &verbs.DevOptions{}
	v := verbs.DevVerb(o)
	v.Run = func(ctx context.Context, c verbs.Call) error {
		// Before the build, whose tools must not inherit the secrets.
		served, err := serverOptions(c, o.ServeOptions)
		if err != nil {
			return err
		}
		return dev(ctx, c.Face, devOptions{Options: served, dir: cmp.Or(o.Dir, "."), open: o.Open, debug: o.Debug}, c.Stdout,
			c.Stderr)
	}
	return v
}

// dev builds and serves the plugin, and rebuilds and reloads what file changes affect,
// until ctx is done.
func dev(ctx context.Context, f verbs.Face, o devOptions, stdout *os.File, stderr io.Writer) (err error) {
	repo, err := verbs.FindRepo(stdout, o.dir)
	if err != nil {
		return err
	}
	if o.DataDir == "" {
		o.DataDir = filepath.Join(repo.Root, ".slipway", "data")
	}
	o.Environ = os.Environ()
	if err := server.Check(ctx, o.Options); err != nil { // before the build, which takes longer
		return hostError(f, o.Options, err)
	}
	if o.debug {
		o.Debug.Launch = []string{loader.AllPlugins}
	}
	if err := prepareDebugging(ctx, f, &o.Debug, repo.Root, stdout); err != nil {
		return err
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", repo.Root, err)
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	if _, err := watchTree(watcher, repo, repo.Root); err != nil {
		return fmt.Errorf("watch %s: %w", repo.Root, err)
	}
	r := newRebuilder(f, repo, o, stdout)
	defer r.close()
	if r.preview, err = openPreviews(ctx, f, repo, o.preview, stdout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.preview.close()) }()
	r.bundler.Refresh = r.preview != nil
	r.buildAll(ctx)
	if ctx.Err() != nil {
		return nil
	}
	o.PluginDirs = []string{repo.Root}
	o.RequestLevel, o.AuditLevel = slog.LevelDebug, slog.LevelDebug // build results would scroll away
	o.Aside, o.Preview = r.aside, r.preview.link()
	if dir := filepath.Join(repo.Root, "provisioning"); isDirectory(dir) {
		o.Provisioning, o.LaxProvisioning = dir, true
	}
	s, err := openHost(ctx, f, o.Options, false, o.preview.quietly(stdout), stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.preview.close(), closeHost(s, stdout)) }()
	r.server = s
	r.preview.serve(s)
	r.firstMount(ctx)
	r.welcome(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err := printSignIn(s, o.preview.quietly(stdout)); err != nil { // the last lines are what is seen first
		return err
	}
	fmt.Fprintf(stdout, "watching %s; press Ctrl-C to stop\n", repo.Root)
	return r.watch(ctx, watcher)
}

// watch rebuilds what file changes affect, until ctx is done.
func (r *rebuilder) watch(ctx context.Context, watcher *fsnotify.Watcher) error {
	settled, late := stoppedTimer(), stoppedTimer() // a build may start; a failure may be printed
	var todo parts                                  // to rebuild, of changes that are not live
	var first, last time.Time                       // the first change that no build has begun with, and the last change
	var since time.Time                             // the first change that is not live
	var failed *failure                             // not printed yet
	var done <-chan outcome                         // of the running build
	isComplete := !r.isBroken                       // the last build left nothing out of dist
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	stop := func() {}
	defer func() { stop() }()
	if r.isBroken {
		todo = everything()
	}

	finish := func(o outcome, isOvertaken bool) {
		done, isComplete = nil, o.isLive
		switch {
		case o.isLive:
			r.succeeded(ctx, o, since)
			since = first
		case o.failure != nil && !isOvertaken:
			failed = o.failure
			late.Reset(time.Until(last.Add(failureQuiet)))
			fallthrough
		default:
			todo = todo.with(o.parts)
		}
	}
	changed := func(p parts) {
		now := time.Now()
		todo, last, failed = todo.with(p), now, nil
		if since.IsZero() {
			since = now
		}
		if first.IsZero() {
			first = now
		}
		settled.Reset(min(quiet, time.Until(first.Add(longestWait))))
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-r.server.Failed():
			return err
		case <-watcher.Errors: // events have been lost
			if _, err := watchTree(watcher, r.repo, r.repo.Root); err != nil {
				r.unwatched(r.repo.Root, err)
			}
			changed(everything())
		case event := <-watcher.Events:
			if p := r.partsOf(watcher, event); p != (parts{}) {
				changed(p)
			}
		case <-settled.C:
			if done != nil { // what it builds is out of date
				stop()
				finish(<-done, true)
			}
			first = time.Time{}
			result, p := make(chan outcome, 1), todo
			done, todo = result, parts{}
			stop = inBackground(ctx, func(ctx context.Context) { result <- r.rebuild(ctx, p) })
		case o := <-done:
			stop()
			finish(o, !first.IsZero())
		case <-late.C:
			if failed != nil && done == nil {
				r.failed(failed)
				since = time.Time{} // the fix is another change
			}
			failed = nil
		case <-poll.C:
			if done == nil && isComplete && r.isReduced() { // a build may set dist aside
				changed(parts{other: true}) // enough to restore every file
			}
		}
	}
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

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
