package verbs

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressInterval is how often a long step reports that it still runs.
const progressInterval = 10 * time.Second

// reportProgress prints a line with the elapsed time to w at each interval, until stop
// is called.
func reportProgress(w io.Writer, step string, interval time.Duration) (stop func()) {
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
