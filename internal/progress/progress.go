// Package progress shows that a long step still runs, for logs that would otherwise be
// silent.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Interval is the usual interval between two lines.
const Interval = 10 * time.Second

// Report prints the step and the elapsed time to w at each interval until stop is
// called.
func Report(w io.Writer, step string, interval time.Duration) (stop func()) {
	started := time.Now()
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ticker.C:
				fmt.Fprintf(w, "  %s, %.0fs\n", step, time.Since(started).Seconds())
			case <-done:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		running.Wait()
	}
}
