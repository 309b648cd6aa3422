package api

import (
	"sync"
	"time"
)

const (
	mostFailures   = 10              // in a row, before attempts have to wait
	failureMemory  = 5 * time.Minute // since the last failure
	mostRemembered = 10_000          // pairs of login and address
)

// throttle counts failed logins per login and address. It keeps the counts in memory: a
// restart clears them, but an attacker cannot cause one.
type throttle struct {
	mu       sync.Mutex
	failures map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

func newThrottle() *throttle { return &throttle{failures: make(map[string]failures)} }

// wait returns how long an attempt has to wait, or 0.
func (t *throttle) wait(attempt string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.failures[attempt]
	if f.count < mostFailures {
		return 0
	}
	return max(0, failureMemory-now.Sub(f.last))
}

// begin counts an attempt as failed until succeeded is called, unless the attempt has
// to wait.
func (t *throttle) begin(attempt string, now time.Time) (wait time.Duration) {
	if wait := t.wait(attempt, now); wait > 0 {
		return wait
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failures) >= mostRemembered { // each entry cost a slow hash, so this is rare
		for key, f := range t.failures {
			if now.Sub(f.last) > failureMemory {
				delete(t.failures, key)
			}
		}
		if len(t.failures) >= mostRemembered {
			clear(t.failures)
		}
	}
	f := t.failures[attempt]
	if now.Sub(f.last) > failureMemory {
		f.count = 0
	}
	t.failures[attempt] = failures{f.count + 1, now}
	return 0
}

func (t *throttle) succeeded(attempt string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, attempt)
}
