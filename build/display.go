package build

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// display shows the state of every compilation: a line for each that ends, or on a
// terminal one line each, redrawn in place.
type display struct {
	w        io.Writer
	isLive   bool
	commands []Command

	mu      sync.Mutex
	states  []string // by command
	isDrawn bool
}

func newDisplay(w io.Writer, isLive bool, commands []Command) *display {
	d := &display{w: w, isLive: isLive, commands: commands, states: make([]string, len(commands))}
	for i := range d.states {
		d.states[i] = "waiting"
	}
	return d
}

// start shows that command i runs.
func (d *display) start(i int) { d.show(i, "compiling", false) }

// finish shows the outcome of command i.
func (d *display) finish(i int, e Executable, err error, took time.Duration) {
	state := "failed"
	if err == nil {
		end := fmt.Sprintf("%.1fs", took.Seconds())
		if e.UpToDate {
			end = "up to date"
		}
		state = fmt.Sprintf("%s  %s  %s", e.File, humanSize(e.Size), end)
	}
	d.show(i, state, true)
}

func (d *display) show(i int, state string, isFinal bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.states[i] = state
	if !d.isLive {
		if isFinal {
			fmt.Fprintf(d.w, "  %-14s %s\n", d.commands[i].Platform, state)
		}
		return
	}
	if d.isDrawn {
		fmt.Fprintf(d.w, "\x1b[%dA", len(d.states)) // cursor up
	}
	d.isDrawn = true
	for i, s := range d.states {
		fmt.Fprintf(d.w, "\x1b[2K  %-14s %s\n", d.commands[i].Platform, s) // clear the line first
	}
}
