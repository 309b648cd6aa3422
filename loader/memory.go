package loader

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// smallMessage is the size in bytes up to which a message does not count: the limit of
	// calls bounds these.
	smallMessage = 256 << 10
	// maxArrival is how long a message may keep others from arriving.
	maxArrival = 5 * time.Second

	arrivingAll    = 4 // messages that arrive or are sent at the same time, of all plugins
	arrivingPlugin = 2 // the same of one plugin, so that it cannot hold up others
)

// memory bounds the bytes that the host holds of the messages of all plugins. A message
// waits for its turn to arrive. Once its size is known, a large message must fit in the memory
// that is left by those still in use, for example by a slow client.
type memory struct {
	arriving chan struct{}
	held     *semaphore.Weighted
	share    int64 // bytes that one plugin may hold
}

func newMemory(total int64) *memory {
	return &memory{arriving: make(chan struct{}, arrivingAll), held: semaphore.NewWeighted(total), share: total * 2 / 3}
}

// share is the part of the memory that one plugin may use.
type share struct {
	all      *memory
	arriving chan struct{}
	held     *semaphore.Weighted
}

func (m *memory) newShare() *share {
	return &share{all: m, arriving: make(chan struct{}, arrivingPlugin), held: semaphore.NewWeighted(m.share)}
}

// arrive waits until a message may arrive. The returned function ends its turn, which
// also ends after maxArrival.
func (s *share) arrive(ctx context.Context) (end func(), err error) {
	for _, turns := range []chan struct{}{s.arriving, s.all.arriving} {
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			if turns == s.all.arriving {
				<-s.arriving
			}
			return nil, ctx.Err()
		}
	}
	leave := func() {
		<-s.all.arriving
		<-s.arriving
	}
	late := time.AfterFunc(maxArrival, leave)
	return func() {
		if late.Stop() {
			leave()
		}
	}, nil
}

// hold reserves n bytes, or reports false if they are not available. The returned function
// releases them; it may be called more than once.
func (s *share) hold(n int64) (release func(), ok bool) {
	n = min(n, s.all.share)
	if n <= smallMessage {
		return func() {}, true
	}
	if !s.held.TryAcquire(n) {
		return nil, false
	}
	if !s.all.held.TryAcquire(n) {
		s.held.Release(n)
		return nil, false
	}
	return sync.OnceFunc(func() {
		s.all.held.Release(n)
		s.held.Release(n)
	}), true
}

// lease collects what a request holds.
type lease struct {
	mu      sync.Mutex
	streams []*stream
	factor  int64
}

type leaseKey struct{}

// Lease returns a context for calls whose responses are used until release is called,
// rather than until the call returns. factor is the number of bytes that the caller needs
// for each byte of a response, itself included.
func Lease(ctx context.Context, factor int) (_ context.Context, release func()) {
	l := &lease{factor: int64(factor)}
	return context.WithValue(ctx, leaseKey{}, l), l.release
}

// leaseOf returns the lease of ctx, or nil.
func leaseOf(ctx context.Context) *lease {
	l, _ := ctx.Value(leaseKey{}).(*lease)
	return l
}

func (l *lease) add(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams = append(l.streams, s)
}

func (l *lease) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.streams {
		s.release()
	}
	l.streams = nil
}
