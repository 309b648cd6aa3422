package dev

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoop(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) time.Time { return start.Add(d * time.Millisecond) }
	changed := func(ms time.Duration, p parts) event { return event{kind: eventChanged, at: at(ms), parts: p} }
	tell := func(ms time.Duration, kind eventKind) event { return event{kind: kind, at: at(ms)} }
	built := func(ms time.Duration, o outcome) event { return event{kind: eventBuilt, at: at(ms), built: o} }
	backend, frontend, other := parts{backend: true}, parts{frontend: true}, parts{other: true}
	broken := &failure{reason: "broken"}
	type step struct {
		event event
		want  action
	}
	for name, steps := range map[string][]step{
		"a save": {
			{changed(0, backend), action{quietAt: at(50)}},
			{changed(20, frontend), action{quietAt: at(70)}},
			{tell(70, eventQuiet), action{build: backend.with(frontend)}},
			{built(900, outcome{isLive: true}), action{isLive: true, since: at(0)}},
			{changed(2000, other), action{quietAt: at(2050)}},
			{tell(2050, eventQuiet), action{build: other}},
			{built(2100, outcome{isLive: true}), action{isLive: true, since: at(2000)}},
		},
		"a build waits for files that change all the time, but not for ever": {
			{changed(0, backend), action{quietAt: at(50)}},
			{changed(980, backend), action{quietAt: at(1000)}},
			{changed(1500, backend), action{quietAt: at(1000)}},
		},
		"a change that a build does not have ends it, and the next has both": {
			{changed(0, backend), action{quietAt: at(50)}},
			{tell(50, eventQuiet), action{build: backend}},
			{changed(200, frontend), action{quietAt: at(250)}},
			{tell(250, eventQuiet), action{isCancel: true}},
			{built(260, outcome{parts: backend}), action{build: backend.with(frontend)}},
			{built(900, outcome{isLive: true}), action{isLive: true, since: at(0)}},
		},
		"a build that was live before it could be ended is reported, with its own change": {
			{changed(0, backend), action{quietAt: at(50)}},
			{tell(50, eventQuiet), action{build: backend}},
			{changed(200, frontend), action{quietAt: at(250)}},
			{tell(250, eventQuiet), action{isCancel: true}},
			{built(260, outcome{isLive: true}), action{isLive: true, since: at(0), build: frontend}},
			{built(900, outcome{isLive: true}), action{isLive: true, since: at(200)}},
		},
		"a failure is reported late": {
			{changed(0, backend), action{quietAt: at(50)}},
			{tell(50, eventQuiet), action{build: backend}},
			{built(300, outcome{parts: backend, failure: broken}), action{lateAt: at(800)}},
			{tell(800, eventLate), action{failure: broken}},
			{tell(900, eventLate), action{}},
			{changed(5000, frontend), action{quietAt: at(5050)}},
			{tell(5050, eventQuiet), action{build: backend.with(frontend)}}, // what failed is built again
			{built(5300, outcome{isLive: true}), action{isLive: true, since: at(5000)}},
		},
		"a failure that a change has followed is not reported": {
			{changed(0, backend), action{quietAt: at(50)}},
			{tell(50, eventQuiet), action{build: backend}},
			{built(300, outcome{parts: backend, failure: broken}), action{lateAt: at(800)}},
			{changed(700, backend), action{quietAt: at(750)}},
			{tell(750, eventQuiet), action{build: backend}},
			{tell(800, eventLate), action{}},
			{built(900, outcome{isLive: true}), action{isLive: true, since: at(0)}},
		},
		"a failure of what has changed meanwhile is not reported": {
			{changed(0, backend), action{quietAt: at(50)}},
			{tell(50, eventQuiet), action{build: backend}},
			{changed(280, backend), action{quietAt: at(330)}},
			{built(300, outcome{parts: backend, failure: broken}), action{}},
			{tell(330, eventQuiet), action{build: backend}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l loop
			for i, s := range steps {
				var got action
				if l, got = l.next(s.event); !cmp.Equal(s.want, got, cmp.AllowUnexported(action{}, parts{}), cmp.Comparer(sameFailure)) {
					t.Fatalf("step %d: got %+v, want %+v", i, got, s.want)
				}
			}
		})
	}
}

func sameFailure(a, b *failure) bool { return a == b }
