// Package watch reports which files below plugin directories have changed, as soon as
// they are complete. It compares the files from time to time: that works on every file system
// and follows symbolic links wherever they lead.
package watch

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// Mode is how changes are detected.
type Mode string

// The modes.
const (
	Off  Mode = "off"
	Poll Mode = "poll"
)

// Modes returns the names of all modes.
func Modes() []string { return []string{string(Poll), string(Off)} }

// Options configure Run.
type Options struct {
	Dirs     []string      // to watch; they need not exist
	Settle   time.Duration // how long a file must be unchanged; 0 is 60 ms
	Interval time.Duration // between looks at the files; 0 is 500 ms
}

// rest is the time between two looks as a multiple of what a look takes.
const rest = 10

// Changes are changes to files. The paths are absolute and sorted.
type Changes struct {
	Changed []string // files that were created, changed or removed
	Moving  []string // files that are still changing; a later call reports them as changed
}

// Run calls report with the changes to files, one call at a time, until ctx is done. The
// first call, with no changes, follows the first look at the files: everything that
// happens from then on is reported.
func Run(ctx context.Context, o Options, report func(Changes)) error {
	o.Settle, o.Interval = cmp.Or(o.Settle, 60*time.Millisecond), cmp.Or(o.Interval, 500*time.Millisecond)
	dirs := make([]string, len(o.Dirs))
	for i, dir := range o.Dirs {
		var err error
		if dirs[i], err = filepath.Abs(dir); err != nil {
			return fmt.Errorf("watch %s: %w", dir, err)
		}
	}
	now := takeSnapshot(dirs)
	files := settling{reported: now.files, pending: map[string]pending{}, after: o.Settle}
	report(Changes{})
	wait := o.Interval
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		start := time.Now()
		now = takeSnapshot(dirs)
		changed, moving := files.compare(now.files, time.Now())
		took := time.Since(start)
		if len(changed) > 0 {
			report(Changes{changed, moving})
		}
		wait = max(o.Interval, rest*took)
		if len(moving) > 0 {
			wait = max(min(o.Settle, o.Interval), rest*took)
		}
	}
}
