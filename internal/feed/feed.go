// Package feed distributes values to receivers, and serves them as server-sent events. No receiver
// delays the sender or another receiver: one that does not keep up is disconnected, and may connect
// again. What the values are, and who may receive them, is up to the caller.
package feed

import "sync"

// Feed distributes values. The zero value has no receivers. It is safe for concurrent use.
type Feed[T any] struct {
	mu     sync.Mutex
	queues map[chan T]struct{}
}

// Subscribe returns a queue of the first values and those that are sent from now on, of which it
// holds room. The queue is closed when the receiver does not keep up, and by end, which the receiver must call.
func (f *Feed[T]) Subscribe(room int, first ...T) (queue <-chan T, end func()) {
	q := make(chan T, len(first)+room)
	for _, v := range first {
		q <- v
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queues == nil {
		f.queues = map[chan T]struct{}{}
	}
	f.queues[q] = struct{}{}
	return q, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.remove(q)
	}
}

// Send sends a value to each receiver.
func (f *Feed[T]) Send(v T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for q := range f.queues {
		if !Offer(q, v) {
			f.remove(q)
		}
	}
}

// Offer adds a value to a queue. It reports false if the queue has no room: its receiver does not
// keep up, and the sender closes the queue.
func Offer[T any](queue chan<- T, v T) bool {
	select {
	case queue <- v:
		return true
	default:
		return false
	}
}

// Len returns the number of receivers.
func (f *Feed[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queues)
}

// remove closes a queue, unless it is closed. The caller holds the lock.
func (f *Feed[T]) remove(q chan T) {
	if _, ok := f.queues[q]; ok {
		delete(f.queues, q)
		close(q)
	}
}
