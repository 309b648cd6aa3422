package loader

import (
	"context"
	"fmt"
	"time"
)

// The restart policy: the first restart is immediate, each further one waits twice as
// long, and a process that ran for stableAfter resets the count.
const (
	backoffFirst = 200 * time.Millisecond
	backoffMax   = 30 * time.Second
	stableAfter  = 30 * time.Second
)

func backoff(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(backoffFirst<<min(failures-2, 16), backoffMax)
}

// supervise owns the process of a plugin: only supervise starts, replaces or stops it.
func (p *Plugin) supervise(ctx context.Context) {
	defer close(p.done)
	failures := 0
	var retry <-chan time.Time
	var exited <-chan struct{}
	var startedAt time.Time
	step := func() {
		proc, err := p.refresh(ctx)
		exited, retry = nil, nil
		if proc != nil {
			exited, startedAt = proc.Exited(), time.Now()
		}
		if isRetriable(err) {
			failures++
			retry = time.After(max(backoff(failures), backoffFirst))
		}
	}
	step()
	for {
		select {
		case <-ctx.Done():
			p.end(StateStopped)
			p.retiring.Wait()
			return
		case <-p.changed:
			failures = 0
			step()
		case <-retry:
			step()
		case <-exited:
			if time.Since(startedAt) > stableAfter {
				failures = 0
			}
			failures++
			wait := backoff(failures)
			p.crashed(wait)
			exited, retry = nil, time.After(wait)
		}
	}
}

// refresh brings the process in line with the bundle and returns the process that runs
// afterwards, or nil. It replaces a running process only after the handshake of its
// successor.
func (p *Plugin) refresh(ctx context.Context) (*Process, error) {
	p.mu.Lock()
	b, old, pending := p.bundle, p.current, p.pending
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.pending -= pending
		p.mu.Unlock()
		p.set(func(*Status) {})
	}()

	if !b.Metadata.Backend {
		p.end(StateNoBackend)
		return nil, nil
	}
	l, err := prepare(b, p.options, p.runDir)
	if err == nil && old != nil && !old.command.hasExited() && old.version == l.version {
		p.set(func(s *Status) { s.Reason = "" })
		return old, nil
	}
	var next *Process
	if err == nil {
		p.set(func(s *Status) {
			if s.State == StateFailed || s.State == StateNoBackend {
				s.State = StateStarting // calls wait from now on
			}
		})
		next, err = p.start(ctx, l)
	}
	if err != nil {
		return p.keep(old, err), err
	}
	p.mu.Lock()
	p.current = next
	p.mu.Unlock()
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID, s.Token = StateRunning, "", next.PID(), l.token
	})
	p.logger.Info("plugin started", "pid", next.PID(), "token", l.token.Reason)
	if old != nil {
		p.retiring.Go(func() { _ = old.retire(p.options.DrainTimeout) }) // Close removes what is left
	}
	return next, nil
}

// start starts a process. An update with another bundle cancels it.
func (p *Plugin) start(ctx context.Context, l *launch) (*Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	p.abort, p.starts = cancel, stamp(l.plugin)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.abort = nil
		p.mu.Unlock()
	}()
	return l.start(ctx)
}

// keep leaves the old process running after a new one did not start. It returns nil if
// there is none.
func (p *Plugin) keep(old *Process, err error) *Process {
	p.logger.Error("plugin not started", "reason", err)
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
	p.set(func(s *Status) { s.State, s.Reason, s.PID = state, err.Error(), 0 })
	return nil
}

// crashed records that the process ended on its own.
func (p *Plugin) crashed(wait time.Duration) {
	reason := "the process exited unexpectedly"
	if proc := p.retireCurrent(0); proc != nil {
		reason += " (" + proc.Result() + ")"
	}
	if wait > 0 {
		reason += fmt.Sprintf("; next start in %s", wait)
	}
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID = StateRestarting, reason, 0
		s.Restarts++
	})
	p.logger.Error("plugin exited", "reason", reason)
}

// end stops the process, if there is one, after its calls in progress.
func (p *Plugin) end(state State) {
	p.retireCurrent(p.options.DrainTimeout)
	p.set(func(s *Status) { s.State, s.Reason, s.PID, s.Token = state, "", 0, TokenDecision{} })
}

// retireCurrent hides the process from new calls, ends it, and returns it. It returns
// nil if there is none.
func (p *Plugin) retireCurrent(drain time.Duration) *Process {
	p.mu.Lock()
	proc := p.current
	p.current = nil
	p.mu.Unlock()
	if proc != nil {
		_ = proc.retire(drain) // Close removes what is left
	}
	return proc
}
