package dev

import "time"

const (
	// quiet is how long files must be unchanged before a build: editors save in several steps.
	quiet = 50 * time.Millisecond
	// longestWait limits how long a build waits for that.
	longestWait = time.Second
	// failureQuiet is how long files must be unchanged before a failure is reported: the next one saved may be the fix.
	failureQuiet = 800 * time.Millisecond
)

// event is what a loop reacts to.
type event struct {
	kind  eventKind
	at    time.Time
	parts parts   // out of date, of eventChanged
	built outcome // of eventBuilt
}

type eventKind int

const (
	eventChanged eventKind = iota // files changed
	eventQuiet                    // action.quietAt has come
	eventBuilt                    // the build ended
	eventLate                     // action.lateAt has come
)

// action is what a loop decides.
type action struct {
	quietAt, lateAt time.Time // when to report eventQuiet and eventLate; zero changes nothing

	build    parts     // to begin with; zero begins nothing
	isCancel bool      // end the build early, which then reports eventBuilt
	isLive   bool      // report that the outcome of the event is live
	since    time.Time // of isLive: the first of its changes
	failure  *failure  // to report
}

// loop decides what is built, and when, and which outcomes are reported. The zero value is that of a complete dist.
type loop struct {
	todo        parts     // out of date, and in no build
	first, last time.Time // the first change that no build has begun with, or zero; the last change
	since       time.Time // the first change that is not live, or zero
	failed      *failure  // to report, unless a change comes first
	isBuilding  bool
	isOutOfDate bool // the build is to end early
}

// next returns the state after an event, and what to do about it.
func (l loop) next(e event) (loop, action) {
	switch e.kind {
	case eventChanged:
		return l.changed(e)
	case eventQuiet:
		if l.isBuilding {
			l.isOutOfDate = true
			return l, action{isCancel: true}
		}
		return l.build(action{})
	case eventBuilt:
		return l.ended(e.built)
	case eventLate:
		failure := l.failed
		l.failed = nil
		if failure == nil || l.isBuilding {
			return l, action{}
		}
		l.since = time.Time{} // the fix is another change
		return l, action{failure: failure}
	}
	return l, action{}
}

func (l loop) changed(e event) (loop, action) {
	l.todo, l.last, l.failed = l.todo.with(e.parts), e.at, nil
	if l.since.IsZero() {
		l.since = e.at
	}
	if l.first.IsZero() {
		l.first = e.at
	}
	at := e.at.Add(quiet)
	if latest := l.first.Add(longestWait); latest.Before(at) {
		at = latest
	}
	return l, action{quietAt: at}
}

func (l loop) build(a action) (loop, action) {
	a.build = l.todo
	l.todo, l.first, l.isBuilding, l.isOutOfDate = parts{}, time.Time{}, true, false
	return l, a
}

func (l loop) ended(o outcome) (loop, action) {
	var a action
	isOvertaken := l.isOutOfDate || !l.first.IsZero()
	l.isBuilding = false
	if o.isLive {
		a.isLive, a.since = true, l.since
		l.since = l.first
	} else {
		l.todo = l.todo.with(o.parts)
		if o.failure != nil && !isOvertaken {
			l.failed = o.failure
			a.lateAt = l.last.Add(failureQuiet)
		}
	}
	if l.isOutOfDate {
		return l.build(a)
	}
	return l, a
}
