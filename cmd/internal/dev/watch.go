package dev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/internal/terminal"
)

// watch builds what file changes affect, until ctx is done, as the loop decides.
func (s *session) watch(ctx context.Context, watcher *fsnotify.Watcher) error {
	settled, late := stoppedTimer(), stoppedTimer()
	var running sync.WaitGroup
	built, cancel := make(chan outcome, 1), context.CancelFunc(func() {})
	defer func() {
		cancel()
		s.types.cancel()
		running.Wait()
	}()
	var l loop
	changed := ""
	typed := readKeys(ctx, s.options.Keys)
	if s.isBroken {
		l.todo = everything()
	} else {
		s.checkTypes(ctx, &running)
	}
	for {
		e := event{kind: eventChanged}
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.server.Failed():
			return err
		case <-watcher.Errors: // events have been lost
			if _, err := watchTree(watcher, s.repo, s.repo.Root); err != nil {
				s.unwatched(s.repo.Root, err)
			}
			e.parts = everything()
		case file := <-watcher.Events:
			if e.parts = s.partsOf(watcher, file); e.parts == (parts{}) {
				continue
			}
			changed = shown(s.repo.Root, file.Name)
		case r := <-s.types.checked:
			s.typed(r)
			continue
		case line := <-typed:
			isEnd := false
			if e.parts, isEnd = s.press(ctx, line); isEnd {
				return nil
			}
			if e.parts == (parts{}) {
				continue
			}
		case <-settled.C:
			e.kind = eventQuiet
		case <-late.C:
			e.kind = eventLate
		case e.built = <-built:
			e.kind = eventBuilt
			s.files = e.built.files
			cancel()
		}
		e.at = time.Now()
		var a action
		l, a = l.next(e)
		if !a.quietAt.IsZero() {
			settled.Reset(time.Until(a.quietAt))
		}
		if !a.lateAt.IsZero() {
			late.Reset(time.Until(a.lateAt))
		}
		if a.isCancel {
			cancel()
		}
		if a.isLive {
			s.succeeded(ctx, e.built, a.since)
			if e.built.parts.frontend {
				s.checkTypes(ctx, &running)
			}
		}
		if a.failure != nil {
			s.failed(a.failure)
		}
		if a.build.frontend { // the result would be out of date
			s.types.cancel()
		}
		if a.build != (parts{}) {
			if changed != "" { // the tasks of editors clear their lists of problems
				fmt.Fprintf(s.stdout, "%s changed\n", terminal.Line(changed))
			}
			changed = ""
			known := s.files
			cancel = begin(ctx, &running, func(ctx context.Context) { built <- s.rebuild(ctx, a.build, known) })
		}
	}
}

// partsOf returns what an event makes out of date. It watches a new directory, whose files count as well.
func (s *session) partsOf(watcher *fsnotify.Watcher, e fsnotify.Event) parts {
	if e.Op == fsnotify.Chmod || isIgnored(s.repo, e.Name) || s.files.isOutput(e.Name) {
		return parts{}
	}
	info, err := os.Lstat(e.Name)
	if err != nil && filepath.Ext(e.Name) == "" {
		return everything() // perhaps a directory was removed
	}
	if err != nil || !info.IsDir() {
		return partsOfFile(s.repo, s.files, e.Name)
	}
	var all parts
	if e.Has(fsnotify.Create) {
		files, err := watchTree(watcher, s.repo, e.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.unwatched(e.Name, err)
		}
		for _, file := range files {
			all = all.with(partsOfFile(s.repo, s.files, file))
		}
	}
	return all
}

// unwatched says that changes below a directory are not seen.
func (s *session) unwatched(dir string, err error) {
	fmt.Fprintf(s.stdout, "cannot watch all of %s: %v; after a change in it, start again\n", dir, err)
}

// begin runs f in a goroutine that running counts. cancel ends its context.
func begin(ctx context.Context, running *sync.WaitGroup, f func(context.Context)) (cancel context.CancelFunc) {
	ctx, cancel = context.WithCancel(ctx)
	running.Go(func() { f(ctx) })
	return cancel
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
