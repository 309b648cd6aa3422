package loader

import (
	"slices"
	"time"

	"github.com/slipway-dev/slipway/bundle"
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

// desired is what is wanted of the backend of a plugin.
type desired struct {
	bundle      bundle.Plugin
	identity    identity // of the bundle
	restarts    int      // how often Plugin.Restart was called
	revocations int      // how often a bundle was not entitled to a token, which revokes it
	version     int      // how often the other fields changed
}

type event struct {
	kind   eventKind
	at     time.Time
	want   desired // at that time
	reason string  // of a failure or an end
	// isServing reports whether a process still serves after an attempt that failed.
	isServing bool
}

type eventKind int

const (
	eventWanted eventKind = iota // something else may be wanted
	eventDue                     // the wait is over
	eventDeaf                    // the process does not respond to probes
	eventExited                  // the process ended on its own, or was killed because it was deaf
	eventClosed                  // the plugin was removed

	// The outcomes of an attempt.
	eventKept    // the process already runs what is wanted, or none is wanted
	eventStarted // a process started, and replaced the one before it
	eventAborted // something else was wanted before the start was complete
	eventRefused // no process can start until the plugin changes
	eventFailed  // no process started, for a reason outside the plugin
	eventCrashed // a process started, but did not complete the handshake
)

type action struct {
	kind actionKind
	wait time.Duration // of actionWait
	// mustReplace makes an attempt replace even a process that runs what is wanted.
	mustReplace bool
}

type actionKind int

const (
	actionNone    actionKind = iota
	actionAttempt            // bring the process in line with what is wanted
	actionWait               // and then report eventDue
	actionPark               // start no process until the plugin changes
	actionKill               // the process, which has then exited
	actionEnd                // the process, after its calls
)

// machine decides when the process of a plugin is started, replaced, killed and given up.
// The zero value is that of a plugin whose process was never started.
type machine struct {
	tried     desired     // at the last attempt; with a zero identity, every bundle counts as changed
	replaced  int         // tried.restarts when a process last started
	isWaiting bool        // for eventDue, or for a change
	startedAt time.Time   // of the process
	failures  int         // in a row
	crashes   []time.Time // within loopWindow, oldest first
}

// next returns the state after an event, and what to do about it.
func (m machine) next(e event) (machine, action) {
	switch e.kind {
	case eventWanted:
		return m.wanted(e)
	case eventDue:
		return m.attempt(e.want)
	case eventDeaf:
		return m, action{kind: actionKill} // it would ignore a request to stop, too
	case eventExited:
		if e.at.Sub(m.startedAt) > stableAfter {
			m.failures = 0
		}
		m.countCrash(e.at)
		if m.isLoop() {
			return m, action{kind: actionPark}
		}
		return m, action{kind: actionWait, wait: m.backoff()}
	case eventClosed:
		return m, action{kind: actionEnd}
	case eventKept:
		m.replaced = m.tried.restarts
	case eventStarted:
		m.replaced, m.startedAt = m.tried.restarts, e.at
	case eventFailed:
		m.failures++
		m.isWaiting = true
		m.tried.identity = identity{} // what kept the process from starting may be gone
		return m, action{kind: actionWait, wait: max(m.backoff(), backoffFirst)}
	case eventCrashed:
		m.countCrash(e.at)
		switch {
		case !m.isLoop():
			return m, action{kind: actionWait, wait: max(m.backoff(), backoffFirst)}
		case !e.isServing:
			return m, action{kind: actionPark}
		}
	case eventAborted, eventRefused:
	}
	return m, action{}
}

// wanted decides whether a change is a reason for an attempt.
func (m machine) wanted(e event) (machine, action) {
	isKnown := m.tried.identity != identity{}
	switch {
	case e.want.restarts != m.tried.restarts, isKnown && e.want.identity.executable != m.tried.identity.executable:
		m.failures, m.crashes = 0, nil
	case e.want.identity != m.tried.identity:
		m.failures = 0 // crashes count: a backend could touch its plugin.json
	case m.isWaiting:
		return m, action{} // nothing changed, which must not shorten the wait
	}
	return m.attempt(e.want)
}

func (m machine) attempt(want desired) (machine, action) {
	m.tried, m.isWaiting = want, false
	return m, action{kind: actionAttempt, mustReplace: want.restarts != m.replaced}
}

// countCrash counts a crash, after which the plugin waits.
func (m *machine) countCrash(at time.Time) {
	m.failures++
	m.isWaiting = true
	recent := slices.DeleteFunc(slices.Clone(m.crashes), func(t time.Time) bool { return at.Sub(t) >= loopWindow })
	m.crashes = append(recent, at)
}

func (m machine) isLoop() bool { return len(m.crashes) >= loopCrashes }

// backoff returns how long to wait after the failures so far.
func (m machine) backoff() time.Duration {
	if m.failures <= 1 {
		return 0
	}
	return min(backoffFirst<<min(m.failures-2, 16), backoffMax)
}
