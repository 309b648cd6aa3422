//go:build unix

package orphan

import (
	"context"
	"os"
	"time"
)

// interval is how often the process checks that its parent is running.
const interval = 200 * time.Millisecond

// wait returns when the parent ends, because another process then adopts this one, or
// when ctx is done.
func wait(ctx context.Context, parent int) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for os.Getppid() == parent {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
