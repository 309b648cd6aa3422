package build

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// display shows the state of each compilation: a line when it ends, or on a
// terminal all lines, redrawn in place.
type display struct {
	w     io.Writer
	live  bool
	lines []string
	drawn bool

	mu sync.Mutex
}

func newDisplay(w io.Writer, live bool, commands []Command) *display {
	d := &display{w: w, live: live}
	for _, c := range commands {
		d.lines = append(d.lines, fmt.Sprintf("  %-14s waiting", c.Platform))
	}
	return d
}

func (d *display) start(i int) {
	d.update(i, func(platform string) string { return fmt.Sprintf("  %-14s compiling", platform) }, false)
}

func (d *display) finish(i int, e Executable, err error, took time.Duration) {
	d.update(i, func(platform string) string {
		if err != nil {
			return fmt.Sprintf("  %-14s failed", platform)
		}
		if e.UpToDate {
			return fmt.Sprintf("  %-14s %s  %s  up to date", platform, e.File, humanSize(e.Size))
		}
		return fmt.Sprintf("  %-14s %s  %s  %.1fs", platform, e.File, humanSize(e.Size), took.Seconds())
	}, true)
}

func (d *display) update(i int, line func(platform string) string, isFinal bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines[i] = line(strings.Fields(d.lines[i])[0])
	if !d.live {
		if isFinal {
			fmt.Fprintln(d.w, d.lines[i])
		}
		return
	}
	if d.drawn {
		fmt.Fprintf(d.w, "\x1b[%dA", len(d.lines))
	}
	d.drawn = true
	for _, l := range d.lines {
		fmt.Fprintf(d.w, "\x1b[2K%s\n", l)
	}
}
