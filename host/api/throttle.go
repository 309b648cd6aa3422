package api

import (
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// Limits of logins. The first two apply to a login from one network.
const (
	failureWindow = 5 * time.Minute
	mostFailures  = 10     // within failureWindow, after which passwords are not compared
	mostRefused   = 10_000 // within failureWindow, after which even known credentials are not accepted

	mostComparing  = 16     // logins that are compared or wait for it
	mostPerNetwork = 4      // of these, from one network
	mostRemembered = 10_000 // pairs of login and network
)

// throttle limits how often and how many passwords are compared. Failures are forgotten
// as time passes, not by a successful login. It keeps the counts in memory: a restart
// clears them, but an attacker cannot cause one.
type throttle struct {
	mu        sync.Mutex
	attempts  map[attempt]debts
	comparing map[string]int // by network
	total     int            // of comparing
}

// attempt is a login from a network.
type attempt struct{ login, network string }

// debts are the times at which failures are forgotten. Each failure postpones them.
type debts struct {
	failed  time.Time // passwords that were compared
	refused time.Time // passwords that were not
}

// throttled is the error for a caller that has to wait.
type throttled struct {
	reason *host.Error
	wait   time.Duration // at least a second
}

// Error returns the reason.
func (t *throttled) Error() string { return t.reason.Error() }

// Unwrap returns the error for the response.
func (t *throttled) Unwrap() error { return t.reason }

func newThrottle() *throttle {
	return &throttle{attempts: make(map[attempt]debts), comparing: make(map[string]int)}
}

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

// acceptsKnown reports whether a credential that was verified before may be accepted
// without comparing hashes. Guessing one this way is fast, so such guesses are limited too.
func (t *throttle) acceptsKnown(of attempt, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return excess(t.attempts[of].refused, mostRefused, now) == 0
}

// begin counts an attempt as failed unless done reports a match. If the attempt has to
// wait, begin returns a *throttled.
func (t *throttle) begin(of attempt, now time.Time) (done func(matches bool), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	debt := t.attempts[of]
	if wait := excess(debt.failed, mostFailures, now); wait > 0 {
		if excess(debt.refused, mostRefused, now) == 0 {
			debt.refused = later(debt.refused, now).Add(failureWindow / mostRefused)
			t.attempts[of] = debt
		}
		return nil, tooMany(host.ErrThrottled, "too many failed logins", wait)
	}
	if t.comparing[of.network] >= mostPerNetwork {
		return nil, tooMany(host.ErrThrottled, "too many logins at the same time", time.Second)
	}
	if t.total >= mostComparing || !t.hasRoom(now) {
		return nil, tooMany(host.ErrUnavailable, "the host is busy with other logins", time.Second)
	}
	t.total++
	t.comparing[of.network]++
	debt.failed = later(debt.failed, now).Add(failureWindow / mostFailures)
	t.attempts[of] = debt
	return func(matches bool) { t.end(of, matches) }, nil
}

func (t *throttle) end(of attempt, matches bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total--
	if t.comparing[of.network]--; t.comparing[of.network] == 0 {
		delete(t.comparing, of.network)
	}
	if debt, ok := t.attempts[of]; ok && matches {
		debt.failed = debt.failed.Add(-failureWindow / mostFailures)
		t.attempts[of] = debt
	}
}

// hasRoom forgets old failures if necessary. It reports whether another attempt can be
// remembered.
func (t *throttle) hasRoom(now time.Time) bool {
	if len(t.attempts) < mostRemembered {
		return true
	}
	for of, debt := range t.attempts {
		if !debt.failed.After(now) && !debt.refused.After(now) {
			delete(t.attempts, of)
		}
	}
	return len(t.attempts) < mostRemembered
}

// excess returns how long it takes until a debt leaves room for one more of most
// failures, or 0 if there is room.
func excess(debt time.Time, most int, now time.Time) time.Duration {
	room := failureWindow - failureWindow/time.Duration(most)
	return max(0, later(debt, now).Sub(now)-room)
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
