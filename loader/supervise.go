package loader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// supervise owns the process of a plugin: only supervise starts, replaces or stops it.
func (p *Plugin) supervise(ctx context.Context) {
	defer close(p.done)
	s := supervisor{plugin: p}
	p.awaitRequired(ctx)
	s.step(ctx)
	for {
		select {
		case <-ctx.Done():
			p.end(StateStopped)
			p.retiring.Wait()
			return
		case <-p.changed:
			if s.process != nil && s.process.command.hasExited() {
				s.crashed("") // it counts even if the plugin changed right afterward
			}
			switch p.wakeUp() {
			case wakeRestart:
				s.restarts = restarts{}
				s.step(ctx)
			case wakeChange:
				s.restarts.failures = 0 // crashes count: a backend could touch its plugin.json
				s.step(ctx)
			case wakeCheck:
				s.step(ctx)
			case wakeNothing:
			}
		case <-s.retry:
			s.step(ctx)
		case <-s.exited:
			s.crashed("")
		case reason := <-s.deaf:
			_ = s.process.command.Kill(ctx) // it would ignore a request to stop, too
			s.crashed(reason)
		}
	}
}

// supervisor is the state of a supervise loop. Its channels are nil when there is nothing
// to wait for.
type supervisor struct {
	plugin    *Plugin
	restarts  restarts
	process   *Process
	startedAt time.Time
	exited    <-chan struct{}
	deaf      <-chan string // receives a reason
	retry     <-chan time.Time
}

// step brings the process in line with the bundle, and plans the next attempt if that
// fails. Updates that were pending when it began count as handled once the status shows the
// result.
func (s *supervisor) step(ctx context.Context) {
	p := s.plugin
	p.mu.Lock()
	pending := p.pending
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.pending -= pending
		p.abort = nil
		p.signal()
	}()

	proc, err := p.refresh(ctx)
	if proc != s.process {
		s.process, s.startedAt = proc, time.Now()
	}
	s.exited, s.deaf, s.retry = nil, nil, nil
	if proc != nil {
		s.exited, s.deaf = proc.Exited(), proc.deaf
	}
	if !isRetriable(err) || ctx.Err() != nil {
		return
	}
	if _, isCrash := errors.AsType[processError](err); !isCrash {
		p.forgetStart()
		s.retryAfter(s.restarts.failed())
		return
	}
	wait, isLoop := s.restarts.crashed(time.Now(), 0)
	switch {
	case !isLoop:
		s.retryAfter(max(wait, backoffFirst))
	case proc == nil:
		p.park(err.Error())
	default: // the previous process keeps serving
		p.set(func(*Status) { p.isWaiting = true })
	}
}

// forgetStart makes the next update count as a change. What kept the process from being
// started may be gone: an executable that was being replaced, for example.
func (p *Plugin) forgetStart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = stamps{}
}

func (s *supervisor) retryAfter(wait time.Duration) {
	s.plugin.set(func(status *Status) {
		s.plugin.isWaiting = true
		if status.State == StateRestarting {
			status.NextStart = time.Now().Add(wait)
		}
	})
	s.retry = time.After(wait)
}

// crashed records that the process ended on its own, or why it had to be ended.
func (s *supervisor) crashed(reason string) {
	p := s.plugin
	p.retireCurrent(0)
	tail, output := s.process.stderr.tail(), "" // all output has been read by now
	fault := newFault(bundle.FaultDeaf, "%s", reason)
	if reason == "" {
		fault = exitFault(s.process.command, s.process.stderr.lines(), false)
		if tail != "" {
			output = "; last output: " + tail
		}
	}
	reason = fault.Reason + output
	p.failed(fault)
	wait, isLoop := s.restarts.crashed(time.Now(), time.Since(s.startedAt))
	s.process, s.exited, s.deaf = nil, nil, nil
	p.set(func(status *Status) { status.Restarts++ })
	if isLoop {
		s.retry = nil
		p.park(reason)
		return
	}
	if wait > 0 {
		reason += fmt.Sprintf("; next start in %s", wait.Round(time.Millisecond))
	}
	p.set(func(status *Status) {
		status.State, status.Reason, status.PID = StateRestarting, reason, 0
	})
	s.retryAfter(wait)
	p.logger.Error("plugin exited", "reason", reason)
}

// park leaves the plugin without a process until it changes or Restart is called.
func (p *Plugin) park(reason string) {
	reason = fmt.Sprintf("%d crashes within %s; the last: %s", loopCrashes, loopWindow, reason)
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID, s.NextStart = StateCrashLoop, reason, 0, time.Time{}
		p.isWaiting = true
	})
	p.logger.Error("plugin is not started again until it changes or is restarted", "reason", reason)
}

// waking is what an update is a reason for.
type waking int

const (
	wakeNothing waking = iota
	wakeCheck          // to compare the process that runs with the bundle
	wakeChange         // to start a plugin again that failed
	wakeRestart        // the same, and to forget how often it crashed
)

// wakeUp returns what an update is a reason for. If that is nothing, the update counts as
// handled: one that changes nothing must not shorten the wait of a plugin that crashes.
func (p *Plugin) wakeUp() waking {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.mustStart || p.stamps.hasOtherExecutable(p.started):
		return wakeRestart
	case !p.stamps.isLike(p.started):
		return wakeChange
	case !p.isWaiting:
		return wakeCheck
	}
	p.pending = 0
	p.signal()
	return wakeNothing
}

// refresh brings the process in line with the bundle and returns the process that runs
// afterward, or nil. It replaces a running process only after the handshake of its
// successor.
func (p *Plugin) refresh(ctx context.Context) (*Process, error) {
	starting, abort := context.WithCancel(ctx)
	defer abort()
	p.mu.Lock()
	b, old, revocations, mustReplace := p.bundle, p.current, p.revocations, p.mustReplace
	p.mustReplace, p.mustStart, p.isWaiting, p.started, p.abort = false, false, false, p.stamps, abort
	p.mu.Unlock()

	if !b.Metadata.Backend {
		p.end(StateNoBackend)
		return nil, nil
	}
	if !p.options.isDebugged(p.id) { // a debugger may hold the start
		if p.starts.Acquire(ctx, 1) != nil {
			return old, nil // the plugin is being stopped: supervise ends the process
		}
		defer p.starts.Release(1)
	}
	runs := old
	if mustReplace || old != nil && (old.command.hasExited() || old.isRevoked(revocations)) {
		runs = nil // it is not compared
	}
	l, err := prepare(b, p.options, p.runDir, runs)
	if err == nil && l.isRunning {
		p.set(func(s *Status) { s.Reason = "" })
		return old, nil
	}
	var next *Process
	if err == nil {
		l.records = p.records
		p.set(func(s *Status) {
			if s.State == StateFailed || s.State == StateNoBackend || s.State == StateCrashLoop {
				s.State = StateStarting // calls wait from now on
			}
		})
		next, err = p.start(starting, l)
	}
	if err != nil && ctx.Err() != nil {
		return old, nil
	}
	if err != nil {
		p.mu.Lock()
		p.mustReplace = p.mustReplace || mustReplace
		p.mu.Unlock()
		if errors.Is(err, errAborted) {
			return old, nil // the update that aborted the start is handled next
		}
		return p.keep(old, err), err
	}
	next.revocations = revocations
	next.conn.panicked = func(method string) { p.panicked(next, method) }
	p.mu.Lock()
	p.current = next
	p.mu.Unlock()
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID, s.Token, s.NextStart = StateRunning, "", next.PID(), l.token, time.Time{}
	})
	p.logger.Info("plugin started", "pid", next.PID(), "serviceAccountToken", l.token.Reason)
	next.probe(p.options.Probes)
	if old != nil {
		old.reject()
		p.retiring.Go(func() {
			if p.options.isDebugged(p.id) { // a call may be at a breakpoint
				select {
				case <-old.idle:
				case <-old.Exited():
				case <-ctx.Done():
				}
			}
			_ = old.retire(p.options.DrainTimeout) // Close removes what is left
		})
	}
	return next, nil
}

// errAborted is the error of a start that an update with another bundle canceled.
var errAborted = errors.New("start aborted")

// start starts a process with the current settings, unless an update aborts it.
func (p *Plugin) start(ctx context.Context, l *launch) (*Process, error) {
	l.settings = p.recordSettings()
	proc, err := l.start(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, errAborted
	}
	return proc, err
}

// keep leaves the old process running after a new one did not start. It returns nil if
// there is none.
func (p *Plugin) keep(old *Process, err error) *Process {
	if s := p.Status(); s.State != StateFailed || s.Reason != err.Error() { // not logged yet
		p.logger.Error("plugin not started", "reason", err)
	}
	p.failed(err)
	if old != nil && !old.command.hasExited() {
		p.set(func(s *Status) {
			s.Reason = "the new build did not start; the previous one keeps serving: " + err.Error()
		})
		return old
	}
	p.retireCurrent(0)
	state := StateFailed
	if isRetriable(err) {
		state = StateRestarting
	}
	p.set(func(s *Status) { s.State, s.Reason, s.PID, s.NextStart = state, err.Error(), 0, time.Time{} })
	return nil
}

// end stops the process, if there is one, after its calls in progress.
func (p *Plugin) end(state State) {
	p.retireCurrent(p.options.DrainTimeout)
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID, s.Token, s.NextStart = state, "", 0, TokenDecision{}, time.Time{}
	})
}

// retireCurrent hides the process, if there is one, from new calls and ends it.
func (p *Plugin) retireCurrent(drain time.Duration) {
	p.mu.Lock()
	proc := p.current
	p.current = nil
	p.mu.Unlock()
	if proc != nil {
		_ = proc.retire(drain) // Close removes what is left
	}
}
