package build

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
)

// display shows which compilations run, for how long, and what is left: on a terminal a
// line each, redrawn in place; elsewhere a line from time to time. The table at the end
// of the build shows the results.
type display struct {
	w        io.Writer
	isLive   bool
	commands []Command
	now      func() time.Time
	started  time.Time
	stop     func() // stops the periodic lines

	mu    sync.Mutex
	rows  []row // by command
	left  int
	drawn int // lines
}

type row struct {
	state   string
	started time.Time // zero unless it runs
	isDone  bool
}

// redrawInterval is short enough for seconds to count up.
const redrawInterval = 500 * time.Millisecond

func newDisplay(w io.Writer, isLive bool, commands []Command) *display {
	d := &display{w: w, isLive: isLive, commands: commands, now: time.Now, rows: make([]row, len(commands)), left: len(commands)}
	for i := range d.rows {
		d.rows[i].state = "waiting"
	}
	d.started = d.now()
	if isLive {
		d.stop = d.redraw()
	} else {
		d.stop = progress.Task{W: w, Name: "compiling", Left: d.names}.Start()
	}
	return d
}

// redraw redraws the lines until stop is called.
func (d *display) redraw() (stop func()) {
	ticker := time.NewTicker(redrawInterval)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				d.mu.Lock()
				if d.left > 0 { // the table may already be below
					d.draw()
				}
				d.mu.Unlock()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

// start shows that command i runs.
func (d *display) start(i int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[i].state, d.rows[i].started = "compiling", d.now()
	if d.isLive {
		d.draw()
	}
}

// finish shows the outcome of command i. After that of the last one, the lines disappear,
// unless a command failed.
func (d *display) finish(i int, e Executable, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &d.rows[i]
	r.isDone, r.started, r.state = true, time.Time{}, "failed"
	if err == nil {
		r.state = strings.Join(cells(e.part()), "  ")
	}
	d.left--
	if d.isLive {
		d.draw()
	}
	if d.left > 0 {
		return
	}
	stop := d.stop
	d.mu.Unlock() // the periodic lines ask for names
	stop()
	d.mu.Lock()
	if d.isLive && !slices.ContainsFunc(d.rows, func(r row) bool { return r.state == "failed" }) {
		d.erase()
	}
}

// names describes what is left.
func (d *display) names() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for i, r := range d.rows {
		if !r.isDone {
			names = append(names, d.commands[i].Platform.String())
		}
	}
	return fmt.Sprintf("%d of %d left: %s", len(names), len(d.rows), strings.Join(names, ", "))
}

// draw draws the lines over those that were drawn before.
func (d *display) draw() {
	var b strings.Builder
	if d.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", d.drawn) // cursor up
	}
	for i, r := range d.rows {
		state := r.state
		if !r.started.IsZero() {
			state = fmt.Sprintf("%s %.0fs", state, d.now().Sub(r.started).Seconds())
		}
		fmt.Fprintf(&b, "\x1b[2K  %-14s %s\n", d.commands[i].Platform, state) // clear the line first
	}
	fmt.Fprintf(&b, "\x1b[2K  %.0fs, %d of %d left\n", d.now().Sub(d.started).Seconds(), d.left, len(d.rows))
	d.drawn = len(d.rows) + 1
	_, _ = io.WriteString(d.w, b.String())
}

// erase removes the lines.
func (d *display) erase() {
	fmt.Fprintf(d.w, "\x1b[%dA\x1b[J", d.drawn) // cursor up, then clear to the end of the screen
}
