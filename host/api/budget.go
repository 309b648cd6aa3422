package api

import (
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/host"
)

// budget bounds the memory that one kind of data takes in all requests together. A
// single caller gets at most half of it.
type budget struct {
	size int64         // bytes
	what string        // takes the memory, such as "request bodies"
	wait time.Duration // for requests to return what they hold
	free *semaphore.Weighted

	// queue bounds what waiting requests hold that is not counted yet. It is nil if they
	// hold nothing.
	queue *semaphore.Weighted

	mu      sync.Mutex
	callers map[string]*allowance
}

// budgets are those of an API.
type budgets struct {
	bodies, decoding, responses *budget

	// processors bounds how many large bodies are decoded at the same time, so that other
	// requests find a processor.
	processors *semaphore.Weighted
}

func newBudgets() *budgets {
	b := &budgets{
		processors: semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2))),
		bodies:     newBudget(host.MaxBodies, "request bodies"),
		decoding:   newBudget(host.MaxDecoding, "decoding request bodies"),
		responses:  newBudget(host.MaxResponses, "responses that are not read"),
	}
	b.responses.queue = semaphore.NewWeighted(host.MaxResponses) // they are encoded before their size is known
	return b
}

// allowance is the half of a budget that is left to one caller.
type allowance struct {
	free   *semaphore.Weighted
	shares int // that use it
}

func newBudget(size int64, what string) *budget {
	return &budget{size: size, what: what, wait: host.BusyWait, free: semaphore.NewWeighted(size), callers: map[string]*allowance{}}
}

// share returns an empty share for a request of a caller. The caller of share must
// release it.
func (b *budget) share(caller string) *share {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.callers[caller]
	if own == nil {
		own = &allowance{free: semaphore.NewWeighted(b.size / 2)}
		b.callers[caller] = own
	}
	own.shares++
	return &share{of: b, caller: caller, own: own}
}

// share is the part of a budget that one request holds. It is not safe for concurrent
// use.
type share struct {
	of     *budget
	caller string
	own    *allowance
	held   int64 // bytes
}

// grow takes more bytes. If others do not return them in time, the error has the
// category host.ErrThrottled, if the caller holds its half, or host.ErrBusy.
func (s *share) grow(ctx context.Context, bytes int64) error {
	bytes = min(bytes, s.of.size/2-s.held) // what exceeds the half of a caller is not counted
	if bytes <= 0 {
		return nil
	}
	if s.own.free.TryAcquire(bytes) {
		if s.of.free.TryAcquire(bytes) {
			s.held += bytes
			return nil
		}
		s.own.free.Release(bytes)
	}
	wait := s.of.wait
	if queue := s.of.queue; queue != nil {
		if queue.TryAcquire(bytes) {
			defer queue.Release(bytes)
		} else {
			wait = 0
		}
	}
	if !acquire(ctx, s.own.free, bytes, wait) {
		return &host.Error{Category: host.ErrThrottled, Message: "your other requests hold too much memory for " + s.of.what + "; try again later"}
	}
	if !acquire(ctx, s.of.free, bytes, wait) {
		s.own.free.Release(bytes)
		return &host.Error{Category: host.ErrBusy, Message: "the host holds too much memory for " + s.of.what + "; try again later"}
	}
	s.held += bytes
	return nil
}

// release returns everything to the budget. The share must not be used afterward.
func (s *share) release() {
	s.of.free.Release(s.held)
	s.own.free.Release(s.held)
	s.held = 0
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.own.shares--; s.own.shares == 0 {
		delete(s.of.callers, s.caller)
	}
}

// acquire reports whether a semaphore gave n before the time was up or the context
// ended.
func acquire(ctx context.Context, free *semaphore.Weighted, n int64, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return free.Acquire(ctx, n) == nil
}
