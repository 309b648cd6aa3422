// Package orphan lets a process notice that the process that started it has ended.
// Mage ends on SIGTERM without telling the program that it runs, which would leave a host
// and its backends behind.
package orphan

import (
	"context"
	"os"
)

// Context returns a context that is canceled when the parent process ends. The parent
// must be alive when Context is called. The caller must call stop.
func Context(ctx context.Context) (_ context.Context, stop context.CancelFunc) {
	ctx, stop = context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		defer stop()
		wait(ctx, parent)
	}()
	return ctx, stop
}
