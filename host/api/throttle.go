package api

import (
	"sync"
	"time"
)

const (
	mostFailures   = 10              // in a row, until an attempt has to wait
	failureMemory  = 5 * time.Minute // after the last failure all is forgotten
	mostRemembered = 10_000          // logins and addresses at a time
)

// throttle counts failed logins per login and address. The counts live in memory:
// a restart forgets them, which an attacker cannot cause.
type throttle struct {
	mu       sync.Mutex
	failures map[string]failures
}

type failures struct {
	count int
	last  time.Time
}

func newThrottle() *throttle { return &throttle{failures: make(map[string]failures)} }

// wait returns how long an attempt has to wait, 0 if it may be made.
func (t *throttle) wait(attempt string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.failures[attempt]
	if f.count < mostFailures {
		return 0
	}
	return max(0, failureMemory-now.Sub(f.last))
}

// begin counts an attempt as failed until succeeded says otherwise, unless it has
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
