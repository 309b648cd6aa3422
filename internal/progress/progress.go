// Package progress shows that a long step still runs: on a terminal with a line that is
// redrawn, elsewhere with a line from time to time, for logs that would otherwise be silent.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	firstInterval = 7 * time.Second // of lines in a log; each is twice as long as the one before
	// The terminal's line appears only if the step takes longer than most.
	redrawAfter    = time.Second
	redrawInterval = 250 * time.Millisecond
)

// Task is a step that may take a long time.
type Task struct {
	W          io.Writer
	IsTerminal bool          // redraw a single line
	Name       string        // such as "downloading"
	Left       func() string // what is left, such as "3 of 5 zips left"; nil if unknown
	Interval   time.Duration // between two lines or redraws; 0 is the usual one
}

// Start shows the task and the elapsed time until stop is called. On a terminal, stop
// erases the line. Nothing else may be written to a terminal in between.
func (t Task) Start() (stop func()) {
	started := time.Now()
	interval, after := t.Interval, time.Duration(0)
	switch {
	case interval == 0 && t.IsTerminal:
		interval, after = redrawInterval, redrawAfter
	case interval == 0:
		interval = firstInterval
	}
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	isDrawn := false
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ticker.C:
				if elapsed := time.Since(started); elapsed >= after {
					t.print(elapsed)
					isDrawn = true
				}
				if t.Interval == 0 && !t.IsTerminal {
					interval *= 2
					ticker.Reset(interval)
				}
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(done)
		running.Wait()
		if isDrawn && t.IsTerminal {
			fmt.Fprint(t.W, "\r\x1b[2K")
		}
	})
}

func (t Task) print(elapsed time.Duration) {
	start, end := "", "\n"
	if t.IsTerminal {
		start, end = "\r\x1b[2K", ""
	}
	left := ""
	if t.Left != nil {
		if text := t.Left(); text != "" {
			left = "; " + text
		}
	}
	fmt.Fprintf(t.W, "%s  %s, %.0fs%s%s", start, t.Name, elapsed.Seconds(), left, end)
}

// Size returns a size in bytes for people, such as "14.3 MB".
func Size(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%d kB", (bytes+999)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
