//go:build !unix

package orphan

import (
	"context"
	"os"
)

// wait returns when the parent ends or when ctx is done. Windows lets a process wait for
// any other; elsewhere, wait only waits for ctx.
func wait(ctx context.Context, parent int) {
	if p, err := os.FindProcess(parent); err == nil {
		ended := make(chan error, 1)
		go func() {
			_, err := p.Wait()
			ended <- err
		}()
		select {
		case err := <-ended:
			if err == nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
	<-ctx.Done()
}
