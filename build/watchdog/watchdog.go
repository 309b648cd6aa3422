// Package watchdog limits what JavaScript may use. The interpreter itself limits only the call stack.
package watchdog

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/dop251/goja"
)

// Limits bound one call. The heap is that of the whole process, since nothing measures that of an
// interpreter.
type Limits struct {
	Time time.Duration
	Heap uint64 // bytes that it may grow by
}

// The errors of a call that exceeds a limit.
var (
	ErrTime   = errors.New("it took too long")
	ErrMemory = errors.New("it used too much memory")
)

// maxStopping limits the time from an interrupt to the end of what it interrupts.
const maxStopping = 300 * time.Millisecond

// Run calls f, which uses the interpreter, and interrupts it when it exceeds a limit or ctx is done.
// If isStopped is false, f runs a built-in function that takes long, and vm must not be used again.
func Run(ctx context.Context, vm *goja.Runtime, limits Limits, f func() error) (isStopped bool, err error) {
	done := make(chan error, 1)
	most := heap() + limits.Heap
	go func() { done <- f() }()
	timeout := time.NewTimer(limits.Time)
	defer timeout.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	cause := ErrTime
wait:
	for {
		select {
		case err := <-done:
			vm.ClearInterrupt() // of the program itself
			return true, err
		case <-ctx.Done():
			cause = ctx.Err()
			break wait
		case <-timeout.C:
			break wait
		case <-tick.C:
			if heap() < most {
				continue
			}
			runtime.GC() // most of it may be garbage
			if heap() < most {
				continue
			}
			cause = ErrMemory
			break wait
		}
	}
	vm.Interrupt(cause)
	select {
	case err := <-done:
		vm.ClearInterrupt()
		return true, err
	case <-time.After(maxStopping):
		return false, cause
	}
}

// heap returns the bytes that the heap and the stacks of the process use.
func heap() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
