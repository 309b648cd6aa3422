package api

import (
	"maps"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// Limits of logins.
const (
	failureWindow = 5 * time.Minute
	mostFailures  = 10      // of a login from one network within failureWindow; then it has to wait
	mostComparing = 16      // logins whose passwords are compared or wait for it
	manyAttempts  = 1 << 10 // above which those that have been forgotten are deleted
)

// throttle limits how often and how many passwords are compared. Failures are forgotten
// as time passes, not by a successful login. It keeps them in memory: a restart
// clears them, but an attacker cannot cause one.
type throttle struct {
	mu        sync.Mutex
	forgotten map[attempt]time.Time // when all failures are forgotten; each failure postpones it
	comparing int
}

// attempt is a login from a network.
type attempt struct{ login, network string }

// throttled is the error for a caller that has to wait.
type throttled struct {
	reason *host.Error
	wait   time.Duration // at least a second
}

// Error returns the reason.
func (t *throttled) Error() string { return t.reason.Error() }

// Unwrap returns the error for the response.
func (t *throttled) Unwrap() error { return t.reason }

func newThrottle() *throttle { return &throttle{forgotten: make(map[attempt]time.Time)} }

// networkOf returns the part of a remote address that one attacker cannot vary: the
// address, or the first half of an IPv6 address.
func networkOf(remote string) string {
	parsed, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address, bits := parsed.Addr().Unmap().WithZone(""), 64
	if address.Is4() {
		bits = 32
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return remote
	}
	return prefix.Addr().String()
}

// check returns a *throttled if an attempt has to wait.
func (t *throttle) check(of attempt, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wait(of, now)
}

// wait is check for a caller that holds the lock.
func (t *throttle) wait(of attempt, now time.Time) error {
	const room = failureWindow - failureWindow/mostFailures // that leaves room for one more failure
	if wait := later(t.forgotten[of], now).Sub(now) - room; wait > 0 {
		return tooMany(host.ErrThrottled, "too many failed logins", wait)
	}
	return nil
}

// begin counts an attempt as failed unless done reports a match. If the attempt has to
// wait, begin returns a *throttled.
func (t *throttle) begin(of attempt, now time.Time) (done func(matches bool), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.wait(of, now); err != nil {
		return nil, err
	}
	if t.comparing >= mostComparing {
		return nil, tooMany(host.ErrUnavailable, "the host is busy with other logins", time.Second)
	}
	if len(t.forgotten) > manyAttempts { // each took the time of a comparison, so there are not many that count
		maps.DeleteFunc(t.forgotten, func(_ attempt, at time.Time) bool { return !at.After(now) })
	}
	t.comparing++
	t.forgotten[of] = later(t.forgotten[of], now).Add(failureWindow / mostFailures)
	return func(matches bool) { t.end(of, matches) }, nil
}

func (t *throttle) end(of attempt, matches bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.comparing--
	if matches {
		t.forgotten[of] = t.forgotten[of].Add(-failureWindow / mostFailures)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func tooMany(category error, reason string, wait time.Duration) error {
	wait = max(wait, time.Second)
	unit := " seconds"
	if wait == time.Second {
		unit = " second"
	}
	return &throttled{&host.Error{Category: category, ID: "login.throttled",
		Message: reason + "; try again in " + seconds(wait) + unit}, wait}
}

// seconds returns a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}
