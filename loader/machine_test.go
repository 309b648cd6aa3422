package loader

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// machineStep is an event, and what a machine is to decide about it.
type machineStep struct {
	after time.Duration // since the step before
	kind  eventKind
	want  desired
	is    bool // isServing
	do    action
}

func TestMachine(t *testing.T) {
	t.Parallel()
	first := desired{identity: identity{dir: "a", executable: fileState{inode: 1}}}
	metadata := desired{identity: identity{dir: "a", metadata: [32]byte{1}, executable: fileState{inode: 1}}}
	rebuilt := desired{identity: identity{dir: "a", executable: fileState{inode: 2}}}
	restarted := desired{identity: first.identity, restarts: 1}
	attempt, replace := action{kind: actionAttempt}, action{kind: actionAttempt, mustReplace: true}
	wait := func(d time.Duration) action { return action{kind: actionWait, wait: d} }
	park := action{kind: actionPark}
	start := []machineStep{{kind: eventWanted, want: first, do: attempt}, {kind: eventStarted}}
	// crashes are those of a process that ends as soon as it has started.
	crashes := []machineStep{
		{kind: eventExited, do: wait(0)}, {kind: eventDue, want: first, do: attempt}, {kind: eventStarted},
		{kind: eventExited, do: wait(200 * time.Millisecond)}, {kind: eventDue, want: first, do: attempt}, {kind: eventStarted},
		{kind: eventExited, do: wait(400 * time.Millisecond)}, {kind: eventDue, want: first, do: attempt}, {kind: eventStarted},
		{kind: eventExited, do: wait(800 * time.Millisecond)}, {kind: eventDue, want: first, do: attempt}, {kind: eventStarted},
	}
	for name, steps := range map[string][]machineStep{
		"a scan without a change compares": append(start, machineStep{kind: eventWanted, want: first, do: attempt}, machineStep{kind: eventKept}),
		"a crash loop": slices.Concat(start, crashes, []machineStep{
			{kind: eventExited, do: park},
			{kind: eventWanted, want: first}, // nothing changed
			{kind: eventWanted, want: metadata, do: attempt}, {kind: eventCrashed, do: park},
			{kind: eventWanted, want: rebuilt, do: attempt}, {kind: eventCrashed, do: wait(backoffFirst)}, // crashes are forgotten
		}),
		"a restart ends a crash loop": slices.Concat(start, crashes, []machineStep{
			{kind: eventExited, do: park},
			{kind: eventWanted, want: restarted, do: replace}, {kind: eventStarted},
			{kind: eventExited, do: wait(0)},
		}),
		"crashes that are far apart": slices.Concat(start, crashes, []machineStep{
			{after: loopWindow, kind: eventExited, do: wait(0)}, {kind: eventDue, want: first, do: attempt}, {kind: eventStarted},
			{after: stableAfter + 1, kind: eventExited, do: wait(0)},
		}),
		"a restart is repeated until a process starts": append(start,
			machineStep{kind: eventWanted, want: restarted, do: replace}, machineStep{kind: eventFailed, is: true, do: wait(backoffFirst)},
			machineStep{kind: eventDue, want: restarted, do: replace}, machineStep{kind: eventAborted},
			machineStep{kind: eventWanted, want: restarted, do: replace}, machineStep{kind: eventStarted},
			machineStep{kind: eventWanted, want: restarted, do: attempt}, machineStep{kind: eventKept}),
		"a deaf process": append(start,
			machineStep{kind: eventDeaf, do: action{kind: actionKill}}, machineStep{kind: eventExited, do: wait(0)}),
		"no executable": {
			{kind: eventWanted, want: first, do: attempt}, {kind: eventRefused},
			{kind: eventWanted, want: first, do: attempt}, {kind: eventRefused}, // a scan tries again
		},
		"no memory": {
			{kind: eventWanted, want: first, do: attempt}, {kind: eventFailed, do: wait(backoffFirst)},
			{kind: eventDue, want: first, do: attempt}, {kind: eventFailed, do: wait(backoffFirst)},
			{kind: eventDue, want: first, do: attempt}, {kind: eventFailed, do: wait(2 * backoffFirst)},
			{kind: eventWanted, want: first, do: attempt}, // counts as a change
		},
		"a new build that crashes": append(start,
			machineStep{kind: eventWanted, want: rebuilt, do: attempt}, machineStep{kind: eventCrashed, is: true, do: wait(backoffFirst)},
			machineStep{kind: eventDue, want: rebuilt, do: attempt}, machineStep{kind: eventCrashed, is: true, do: wait(backoffFirst)},
			machineStep{kind: eventDue, want: rebuilt, do: attempt}, machineStep{kind: eventCrashed, is: true, do: wait(2 * backoffFirst)},
			machineStep{kind: eventDue, want: rebuilt, do: attempt}, machineStep{kind: eventCrashed, is: true, do: wait(4 * backoffFirst)},
			machineStep{kind: eventDue, want: rebuilt, do: attempt}, machineStep{kind: eventCrashed, is: true}, // the previous one keeps serving
			machineStep{kind: eventWanted, want: rebuilt},
			machineStep{kind: eventWanted, want: first, do: attempt}, machineStep{kind: eventKept}),
		"the plugin is removed": append(start, machineStep{kind: eventClosed, do: action{kind: actionEnd}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m machine
			now := time.Unix(0, 0)
			for i, step := range steps {
				now = now.Add(step.after)
				before, decided := m, action{}
				before.crashes = slices.Clone(m.crashes)
				next, decided := m.next(event{kind: step.kind, at: now, want: step.want, isServing: step.is})
				if decided != step.do {
					t.Fatalf("step %d: %+v, want %+v", i, decided, step.do)
				}
				if diff := cmp.Diff(before.crashes, m.crashes, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("step %d changed the state before it:\n%s", i, diff)
				}
				m = next
			}
		})
	}
}

// Regardless of how a plugin crashes, it is started at most ten times in any minute, and waits at
// most backoffMax.
func TestRestartPolicy(t *testing.T) {
	t.Parallel()
	for _, ran := range []time.Duration{0, time.Millisecond, time.Second, 5 * time.Second, 14 * time.Second, 20 * time.Second, 31 * time.Second} {
		var m machine
		now := time.Unix(0, 0)
		var starts []time.Time
		for now.Before(time.Unix(3600, 0)) {
			starts = append(starts, now)
			m, _ = m.next(event{kind: eventStarted, at: now})
			now = now.Add(ran)
			var do action
			if m, do = m.next(event{kind: eventExited, at: now}); do.kind == actionPark {
				break
			}
			if do.wait > backoffMax || len(starts) == 1 && do.wait != 0 {
				t.Errorf("wait %s after %d crashes", do.wait, len(starts))
			}
			now = now.Add(do.wait)
		}
		for i := 10; i < len(starts); i++ {
			if within := starts[i].Sub(starts[i-10]); within < time.Minute {
				t.Errorf("a process that runs for %s: 11 starts within %s", ran, within)
			}
		}
	}
	var m machine
	for n := range 20 {
		var do action
		m, do = m.next(event{kind: eventFailed})
		if do.wait > backoffMax || do.wait < backoffFirst || n > 10 && do.wait < backoffMax {
			t.Errorf("failure %d: wait %s", n+1, do.wait)
		}
	}
}
