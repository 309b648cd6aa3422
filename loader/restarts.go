package loader

import (
	"errors"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// The restart policy: the first restart is immediate, and each further one waits twice as
// long, up to backoffMax. A process that ran for stableAfter resets the wait. A plugin that
// crashes loopCrashes times within loopWindow is not started again until it changes or an
// administrator restarts it.
const (
	backoffFirst = 200 * time.Millisecond
	backoffMax   = 30 * time.Second
	stableAfter  = 30 * time.Second
	loopCrashes  = 5
	loopWindow   = time.Minute
)

// restarts decides when a plugin is started again. The zero value has seen no failure.
type restarts struct {
	failures int         // in a row
	crashes  []time.Time // within loopWindow, oldest first
}

// failed records a start that did not succeed for a reason outside the plugin, and
// returns how long to wait.
func (r *restarts) failed() time.Duration {
	r.failures++
	return jitter(max(backoff(r.failures), backoffFirst))
}

// crashed records that a process ended, and returns how long to wait. isLoop reports that
// the plugin must not be started again.
func (r *restarts) crashed(now time.Time, ran time.Duration) (wait time.Duration, isLoop bool) {
	if ran > stableAfter {
		r.failures = 0
	}
	r.failures++
	r.crashes = append(slices.DeleteFunc(r.crashes, func(t time.Time) bool { return now.Sub(t) >= loopWindow }), now)
	return jitter(backoff(r.failures)), len(r.crashes) >= loopCrashes
}

// processError is an error of a process that started but did not complete the handshake.
type processError struct{ error }

func (e processError) Unwrap() error { return e.error }

// isShortage reports whether a process was not started because of a temporary shortage
// of a resource.
func isShortage(err error) bool {
	for _, errno := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ETXTBSY, syscall.EINTR} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

func backoff(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(backoffFirst<<min(failures-2, 16), backoffMax)
}

// jitter shortens a wait by up to a quarter, so that plugins that failed together do not
// start together.
func jitter(wait time.Duration) time.Duration {
	if wait <= 0 {
		return 0
	}
	return wait - rand.N(wait/4+1)
}
