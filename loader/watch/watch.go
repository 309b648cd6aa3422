// Package watch reports which files below plugin directories have changed, as soon as
// they are complete. The operating system reports changes; where it cannot, such as on
// network file systems, the package polls.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Mode is how changes are detected.
type Mode string

// The modes.
const (
	Off  Mode = "off"
	Auto Mode = "auto" // by notifications of the operating system, or by polling if they are not available
	Poll Mode = "poll"
)

// Modes returns the names of all modes.
func Modes() []string { return []string{string(Auto), string(Poll), string(Off)} }

// Options configure Run.
type Options struct {
	Dirs       []string      // to watch; they need not exist
	Mode       Mode          // Auto if empty; must not be Off
	Settle     time.Duration // how long a file must be unchanged; 0 is 60 ms
	Interval   time.Duration // between polls; 0 is 1 s
	MaxWatches int           // directories to be notified of; with more, it polls; 0 is 4096
	Logger     *slog.Logger  // nil discards
}

const (
	// gather is the time between a notification and a look at the files: changes come in
	// groups.
	gather = 10 * time.Millisecond
	// rest is the time between two looks as a multiple of what a look takes.
	rest = 5
)

// Changes are changes to files. The paths are absolute and sorted.
type Changes struct {
	Changed []string // files that were created, changed or removed
	Moving  []string // files that are still changing; a later call reports them as changed
}

// Run calls report with the changes to files, one call at a time, until ctx is done. The
// first call, with no changes, follows the first look at the files: everything that
// happens from then on is reported.
func Run(ctx context.Context, o Options, report func(Changes)) error {
	w := &watcher{Options: o, watched: map[string]os.FileInfo{}}
	w.Settle = cmp.Or(o.Settle, 60*time.Millisecond)
	w.Interval = cmp.Or(o.Interval, time.Second)
	w.MaxWatches = cmp.Or(o.MaxWatches, 4096)
	if w.Logger == nil {
		w.Logger = slog.New(slog.DiscardHandler)
	}
	w.Dirs = nil
	for _, dir := range o.Dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
		w.Dirs = append(w.Dirs, abs)
	}
	if o.Mode != Poll {
		var err error
		if w.notify, err = fsnotify.NewWatcher(); err != nil {
			w.poll(err)
		}
	}
	defer w.close()
	w.run(ctx, report)
	return nil
}

// watcher is the state of Run.
type watcher struct {
	Options
	notify  *fsnotify.Watcher      // nil if it polls
	watched map[string]os.FileInfo // the directories that notify watches
	now     *snapshot
	isFull  bool
}

func (w *watcher) run(ctx context.Context, report func(Changes)) {
	w.look()
	files := settling{reported: w.now.files, pending: map[string]pending{}, after: w.Settle}
	report(Changes{})
	timer := time.NewTimer(w.Interval)
	defer timer.Stop()
	isDue := false         // a look follows soon
	var earliest time.Time // of the next look after a notification
	soon := func(d time.Duration) {
		isDue = true
		timer.Reset(d)
	}
	if w.notify != nil {
		timer.Stop()
	}
	for {
		events, lost := w.channels()
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !isDue && w.isRelevant(e) {
				soon(max(gather, time.Until(earliest)))
			}
		case err := <-lost:
			w.Logger.Debug("notifications of changed files lost", "error", err)
			if !isDue {
				soon(max(gather, time.Until(earliest)))
			}
		case <-timer.C:
			start := time.Now()
			w.look()
			changed, moving := files.compare(w.now.files, time.Now())
			took := time.Since(start)
			earliest = time.Now().Add(rest * took)
			if len(changed) > 0 {
				report(Changes{changed, moving})
			}
			isDue = false
			switch {
			case len(moving) > 0:
				soon(max(w.Settle, rest*took))
			case w.notify == nil:
				timer.Reset(max(w.Interval, rest*took))
			}
		}
	}
}

func (w *watcher) channels() (chan fsnotify.Event, chan error) {
	if w.notify == nil {
		return nil, nil
	}
	return w.notify.Events, w.notify.Errors
}

// isRelevant reports whether an event may have changed what a snapshot contains.
func (w *watcher) isRelevant(e fsnotify.Event) bool {
	dir, name := filepath.Split(e.Name)
	dir = filepath.Clean(dir)
	if _, ok := w.now.dirs[dir]; ok && !isIgnored(name) {
		return true
	}
	_, isDir := w.now.dirs[e.Name] // of the directory itself
	return isDir || w.now.outside[dir][name]
}

// look takes a snapshot and watches the directories in it. Files can be created in a
// directory before it is watched, so look repeats after it has added one.
func (w *watcher) look() {
	if w.notify != nil {
		// The system no longer watches a directory that was renamed, even if it has been renamed back.
		listed := map[string]bool{}
		for _, dir := range w.notify.WatchList() {
			listed[dir] = true
		}
		maps.DeleteFunc(w.watched, func(dir string, _ os.FileInfo) bool { return !listed[dir] })
	}
	for range maxDepth {
		w.now = takeSnapshot(w.Dirs)
		if w.notify == nil {
			break
		}
		added, err := w.watch()
		if err != nil {
			w.poll(err)
		}
		if err != nil || !added {
			break
		}
	}
	if w.now.isFull && !w.isFull {
		w.Logger.Warn(fmt.Sprintf("changes to some files go unnoticed: the directories of plugins contain more than %d files", maxFiles))
	}
	w.isFull = w.now.isFull
}

// watch brings the watched directories in line with the snapshot, and reports whether it
// added any.
func (w *watcher) watch() (added bool, err error) {
	want := maps.Clone(w.now.dirs)
	for dir := range w.now.outside {
		if info, err := os.Stat(dir); err == nil && want[dir] == nil {
			want[dir] = info
		}
	}
	if len(want) > w.MaxWatches {
		return false, fmt.Errorf("there are more than %d directories", w.MaxWatches)
	}
	for dir, info := range w.watched {
		if now, ok := want[dir]; !ok || !os.SameFile(info, now) {
			_ = w.notify.Remove(dir) // fails if it is gone
			delete(w.watched, dir)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(want)) {
		if _, ok := w.watched[dir]; ok {
			continue
		}
		if err := w.notify.Add(dir); errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			continue // already removed, or reported by bundle.Discover
		} else if err != nil {
			return added, fmt.Errorf("watch %s: %w", dir, err)
		}
		w.watched[dir], added = want[dir], true
	}
	return added, nil
}

// poll makes the watcher poll from now on.
func (w *watcher) poll(reason error) {
	w.Logger.Warn("directories of plugins are polled: the system does not report changes", "interval", w.Interval, "reason", reason)
	w.close()
	w.notify = nil
}

func (w *watcher) close() {
	if w.notify != nil {
		_ = w.notify.Close() // only reading stops
	}
}
