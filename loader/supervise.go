package loader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// supervisor alone starts, replaces and stops the process of a plugin, as its machine decides.
type supervisor struct {
	*Plugin
	machine machine
	retry   <-chan time.Time // nil if no attempt is planned
	isRetry bool             // the attempt in progress follows one that failed, and nothing has changed
}

// run supervises the process until ctx is done.
func (s *supervisor) run(ctx context.Context) {
	defer close(s.done)
	for e := (event{kind: eventWanted}); ; e = s.await(ctx) {
		s.handle(ctx, e)
		if e.kind == eventClosed {
			s.retiring.Wait()
			return
		}
	}
}

func (s *supervisor) await(ctx context.Context) event {
	var exited <-chan struct{}
	var deaf <-chan string
	if proc := s.process(); proc != nil {
		exited, deaf = proc.Exited(), proc.deaf
	}
	select {
	case <-ctx.Done():
		return event{kind: eventClosed}
	case <-exited:
		return event{kind: eventExited}
	case reason := <-deaf:
		return event{kind: eventDeaf, reason: reason}
	case <-s.retry:
		return event{kind: eventDue}
	case <-s.changed:
		if proc := s.process(); proc != nil && proc.command.hasExited() {
			s.wake()
			return event{kind: eventExited} // it counts even if the plugin changed right afterward
		}
		return event{kind: eventWanted}
	}
}

// handle does what the machine decides about an event, and about the outcomes of that.
func (s *supervisor) handle(ctx context.Context, e event) {
	version := 0 // of what is wanted, once the status shows the result
	defer func() { s.settle(version) }()
	for {
		e.at, e.want = time.Now(), s.wanted()
		if e.kind == eventExited {
			e.reason = s.exited(e.reason)
		}
		var do action
		s.machine, do = s.machine.next(e)
		switch do.kind {
		case actionAttempt:
			s.retry, version = nil, e.want.version
			s.isRetry = e.kind == eventDue
			e = s.attempt(ctx, e.want, do.mustReplace)
			if ctx.Err() == nil {
				continue
			}
		case actionKill:
			_ = s.process().command.Kill(ctx)
			e = event{kind: eventExited, reason: e.reason}
			continue
		case actionWait:
			s.plan(e, do.wait)
		case actionPark:
			s.park(e.reason)
		case actionEnd:
			s.end(StateStopped)
		case actionNone:
			if e.kind == eventWanted {
				version = e.want.version
			}
		}
		return
	}
}

// attempt brings the process in line with what is wanted. It replaces a running process only
// after the handshake of its successor.
func (s *supervisor) attempt(ctx context.Context, want desired, mustReplace bool) event {
	if !want.bundle.Metadata.Backend {
		s.end(StateNoBackend)
		return event{kind: eventKept}
	}
	starting, abort := context.WithCancel(ctx)
	defer abort()
	s.setAttempt(&attempt{want.identity, abort})
	defer s.setAttempt(nil)
	old := s.process()
	same := old
	if mustReplace || old != nil && (old.command.hasExited() || old.isRevoked(want.revocations)) {
		same = nil
	}
	proc, err := s.start(starting, want.bundle, same)
	switch {
	case err != nil && starting.Err() != nil:
		return event{kind: eventAborted}
	case err != nil:
		return s.keep(old, err)
	case proc == nil:
		s.set(func(status *Status) { status.Reason = "" })
		return event{kind: eventKept}
	}
	proc.revocations = want.revocations
	s.swap(ctx, old, proc)
	return event{kind: eventStarted}
}

// start starts a process, unless another one runs the same: then it returns nil.
func (s *supervisor) start(ctx context.Context, b bundle.Plugin, same *Process) (*Process, error) {
	if !s.options.isDebugged(s.id) { // a debugger may hold the start
		if err := s.starts.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer s.starts.Release(1)
	}
	l, err := prepare(b, s.options, s.runDir, same)
	if err != nil || l.isRunning {
		return nil, err
	}
	s.set(func(status *Status) {
		switch status.State {
		case StateFailed, StateNoBackend, StateCrashLoop:
			status.State = StateStarting // calls wait from now on
		}
	})
	l.records, l.settings = s.records, s.recordSettings()
	return l.start(ctx)
}

// swap makes a process that has started the current one. Calls in progress end in the old one.
func (s *supervisor) swap(ctx context.Context, old, next *Process) {
	s.mu.Lock()
	s.current = next
	s.mu.Unlock()
	s.set(func(status *Status) {
		status.State, status.Reason, status.PID, status.Token, status.NextStart = StateRunning, "", next.PID(), next.token, time.Time{}
	})
	s.logger.Info("plugin started", "pid", next.PID(), "serviceAccountToken", next.token.Reason)
	next.probe(s.options.Probes)
	if old == nil {
		return
	}
	old.reject()
	s.retiring.Go(func() {
		if s.options.isDebugged(s.id) { // a call may be at a breakpoint
			select {
			case <-old.idle:
			case <-old.Exited():
			case <-ctx.Done():
			}
		}
		_ = old.retire(s.options.DrainTimeout) // Close removes what is left
	})
}

// keep leaves the old process running, if there is one, after a new one did not start.
func (s *supervisor) keep(old *Process, err error) event {
	e := event{kind: eventFailed, reason: err.Error(), isServing: old != nil && !old.command.hasExited()}
	if _, isCrash := errors.AsType[processError](err); isCrash {
		e.kind = eventCrashed
	} else if !isRetriable(err) {
		e.kind = eventRefused
	}
	switch status := s.Status(); {
	case status.Reason != e.reason, status.State != StateFailed && !s.isRetry:
		s.logger.Error("plugin not started", "reason", err)
	case s.isRetry:
		s.logger.Debug("plugin not started", "reason", err)
	}
	s.failed(err)
	if e.isServing {
		s.set(func(status *Status) {
			status.Reason = "the new build did not start; the previous one keeps serving: " + e.reason
		})
		return e
	}
	s.retireCurrent(0)
	state := StateRestarting
	if e.kind == eventRefused {
		state = StateFailed
	}
	s.set(func(status *Status) {
		status.State, status.Reason, status.PID, status.NextStart = state, e.reason, 0, time.Time{}
	})
	return e
}

// exited records the end of the process, whose reason is "" if it ended on its own. It returns
// the reason to report.
func (s *supervisor) exited(reason string) string {
	proc := s.process()
	s.retireCurrent(0)
	tail, output := proc.stderr.tail(), "" // all output has been read by now
	fault := newFault(bundle.FaultDeaf, "%s", reason)
	if reason == "" {
		fault = exitFault(proc.command, proc.stderr.lines(), false)
		if tail != "" {
			output = "; last output: " + tail
		}
	}
	s.failed(fault)
	s.set(func(status *Status) { status.Restarts++ })
	return fault.Reason + output
}

// plan plans the next attempt.
func (s *supervisor) plan(e event, wait time.Duration) {
	s.retry = time.After(wait)
	if e.kind == eventExited {
		if wait > 0 {
			e.reason += fmt.Sprintf("; next start in %s", wait.Round(time.Millisecond))
		}
		s.set(func(status *Status) { status.State, status.Reason, status.PID = StateRestarting, e.reason, 0 })
		s.logger.Error("plugin exited", "reason", e.reason)
	}
	s.set(func(status *Status) {
		if status.State == StateRestarting {
			status.NextStart = time.Now().Add(wait)
		}
	})
}

// park leaves the plugin without a process until it changes or Restart is called.
func (s *supervisor) park(reason string) {
	s.retry = nil
	reason = fmt.Sprintf("%d crashes within %s; the last: %s", loopCrashes, loopWindow, reason)
	s.set(func(status *Status) {
		status.State, status.Reason, status.PID, status.NextStart = StateCrashLoop, reason, 0, time.Time{}
	})
	s.logger.Error("plugin is not started again until it changes or is restarted", "reason", reason)
}

// end stops the process, if there is one, after its calls in progress.
func (s *supervisor) end(state State) {
	s.retireCurrent(s.options.DrainTimeout)
	s.set(func(status *Status) {
		status.State, status.Reason, status.PID, status.Token, status.NextStart = state, "", 0, TokenDecision{}, time.Time{}
	})
}

// retireCurrent hides the process, if there is one, from new calls and ends it.
func (s *supervisor) retireCurrent(drain time.Duration) {
	s.mu.Lock()
	proc := s.current
	s.current = nil
	s.mu.Unlock()
	if proc != nil {
		_ = proc.retire(drain) // Close removes what is left
	}
}
