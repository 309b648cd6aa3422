package loader

import (
	"context"
	"runtime"
	"sync"
	"time"
)

const (
	maxStarts = 16
	// maxStart is how long a start may keep others from beginning: one that hangs does
	// not need the processor.
	maxStart = time.Second
)

// turns bounds how many processes start at the same time. nil has no bound.
type turns chan struct{}

func newTurns() turns { return make(turns, min(2*runtime.GOMAXPROCS(0), maxStarts)) }

// take waits for a turn. The returned function ends it; it also ends after maxStart.
func (t turns) take(ctx context.Context) (end func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-t })
	late := time.AfterFunc(maxStart, leave)
	return func() {
		late.Stop()
		leave()
	}, nil
}
