package api

import (
	"context"
	"fmt"
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
	own  string        // message if the caller holds its half
	busy string        // message if others hold the memory
	wait time.Duration // for requests to return what they hold
	free *semaphore.Weighted

	// queue bounds what waiting requests hold that is not counted yet. It is nil if they
	// hold nothing.
	queue *semaphore.Weighted

	callers callers
}

// budgets are those of an API.
type budgets struct {
	bodies, decoding, responses *budget

	processors *turns // to compute for long
	large      *turns // to prepare a large response
	messages   *turns // to handle what came over a WebSocket

	requests callers // in progress

	readsCompute bool // whether reading the database takes a processor, as with SQLite
}

// mostLarge bounds how many large responses are prepared at the same time, most of which
// wait for the database or for a processor.
const mostLarge = 16

func newBudgets(readsCompute bool) *budgets {
	b := &budgets{
		readsCompute: readsCompute,
		processors:   newTurns(runtime.GOMAXPROCS(0) / 2),
		large:        newTurns(mostLarge),
		messages:     newTurns(runtime.GOMAXPROCS(0) / 2),
		bodies: newBudget(host.MaxBodies, "your other requests hold too much memory for request bodies; try again later",
			"the host holds too much memory for request bodies; try again later"),
		decoding: newBudget(host.MaxDecoding, "your other requests hold too much memory for decoding request bodies; try again later",
			"the host holds too much memory for decoding request bodies; try again later"),
		responses: newBudget(host.MaxResponses, "your unread responses use too much memory; read them or try again later",
			"unread responses of other clients use too much memory; try again later"),
	}
	b.requests = callers{each: host.MaxCallerRequests, of: map[string]*allowance{}}
	b.responses.queue = semaphore.NewWeighted(host.MaxResponses) // they are encoded before their size is known
	return b
}

// callers hold the allowances of the callers that use something at the moment.
type callers struct {
	each int64 // size of an allowance
	mu   sync.Mutex
	of   map[string]*allowance
}

// allowance is the part of something that is left to one caller.
type allowance struct {
	free  *semaphore.Weighted
	users int
}

// join returns the allowance of a caller. After use, the caller of join must call leave.
func (c *callers) join(caller string) *allowance {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.of[caller]
	if own == nil {
		own = &allowance{free: semaphore.NewWeighted(c.each)}
		c.of[caller] = own
	}
	own.users++
	return own
}

func (c *callers) leave(caller string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.of[caller]
	if own.users--; own.users == 0 {
		delete(c.of, caller)
	}
}

// enter counts a request of a caller until leave is called. It fails if the caller has none left.
func (c *callers) enter(caller string) (leave func(), err error) {
	own := c.join(caller)
	if !own.free.TryAcquire(1) {
		c.leave(caller)
		return nil, &host.Error{Category: host.ErrThrottled, Message: fmt.Sprintf("%d of your requests are in progress; wait for one of them to end", c.each)}
	}
	return func() {
		own.free.Release(1)
		c.leave(caller)
	}, nil
}

// turns bound how many requests do something expensive at the same time. A single caller
// gets at most half of the turns, and its other requests do not wait in front of those of
// other callers.
type turns struct {
	free    *semaphore.Weighted // in the order of the requests
	callers callers
}

func newTurns(n int) *turns {
	return &turns{semaphore.NewWeighted(int64(max(1, n))), callers{each: int64(max(1, n/2)), of: map[string]*allowance{}}}
}

// take waits for a turn. Unless it returns an error, its caller must call end afterward.
func (t *turns) take(ctx context.Context, caller string) (end func(), err error) {
	own := t.callers.join(caller)
	if err := own.free.Acquire(ctx, 1); err != nil {
		t.callers.leave(caller)
		return nil, err
	}
	leave := func() {
		own.free.Release(1)
		t.callers.leave(caller)
	}
	if err := t.free.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return func() {
		t.free.Release(1)
		leave()
	}, nil
}

// do calls f when the caller has a turn.
func (t *turns) do(ctx context.Context, caller string, f func() error) error {
	end, err := t.take(ctx, caller)
	if err != nil {
		return err
	}
	defer end()
	return f()
}

func newBudget(size int64, own, busy string) *budget {
	return &budget{size: size, own: own, busy: busy, wait: host.BusyWait, free: semaphore.NewWeighted(size), callers: callers{each: size / 2, of: map[string]*allowance{}}}
}

// share returns an empty share for a request of a caller. The caller of share must
// release it.
func (b *budget) share(caller string) *share {
	return &share{of: b, caller: caller, own: b.callers.join(caller)}
}

// share is the part of a budget that one request holds. It is not safe for concurrent
// use.
type share struct {
	of     *budget
	caller string
	own    *allowance
	held   int64 // bytes
}

// grow takes more bytes. If others do not return them in time, the error has the category
// host.ErrThrottled if the caller holds its half, and host.ErrBusy otherwise. If the context
// ends first, the error is that of the context.
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
	if err := acquire(ctx, s.own.free, bytes, wait, &host.Error{Category: host.ErrThrottled, Message: s.of.own}); err != nil {
		return err
	}
	if err := acquire(ctx, s.of.free, bytes, wait, &host.Error{Category: host.ErrBusy, Message: s.of.busy}); err != nil {
		s.own.free.Release(bytes)
		return err
	}
	s.held += bytes
	return nil
}

// release returns everything to the budget. The share must not be used afterward.
func (s *share) release() {
	s.of.free.Release(s.held)
	s.own.free.Release(s.held)
	s.held = 0
	s.of.callers.leave(s.caller)
}

// acquire takes n from a semaphore. It returns refusal if the wait times out, or the error of
// ctx if ctx ends first.
func acquire(ctx context.Context, free *semaphore.Weighted, n int64, wait time.Duration, refusal error) error {
	if free.TryAcquire(n) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if free.Acquire(waiting, n) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return refusal
}
