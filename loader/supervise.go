package loader

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The restart policy: the first restart is immediate, each further one waits
// twice as long, and a process that has run for stableAfter starts anew.
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

// supervise is the life of a plugin: it owns the process and is the only one to
// start, replace or stop it.
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
			exited, startedAt = proc.run.exited, time.Now()
		}
		if retriable(err) {
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

// refresh makes what runs match the bundle and returns the process that runs
// afterwards, or nil. A running process is only replaced once its successor has
// shaken hands.
func (p *Plugin) refresh(ctx context.Context) (*process, error) {
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
	spec, err := prepare(b, p.options, p.runDir)
	if err == nil && old != nil && old.isRunning() && old.print == spec.print {
		p.set(func(s *Status) { s.Reason = "" })
		return old, nil
	}
	var next *process
	if err == nil {
		p.set(func(s *Status) {
			if s.State == StateFailed || s.State == StateNoBackend {
				s.State = StateStarting // requests wait from now on
			}
		})
		next, err = p.launch(ctx, spec)
	}
	if err != nil {
		return p.keep(old, err), err
	}
	p.mu.Lock()
	p.current = next
	p.mu.Unlock()
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID, s.Token = StateRunning, "", next.pid, spec.token
	})
	p.logger.Info("plugin started", "pid", next.pid, "token", spec.token.Reason)
	if old != nil {
		p.retiring.Go(func() { old.retire(p.options.DrainTimeout) })
	}
	return next, nil
}

// launch starts a process; an update that brings something else ends the attempt.
func (p *Plugin) launch(ctx context.Context, s *spec) (*process, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	p.abort, p.starts = cancel, stamp(s.plugin)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.abort = nil
		p.mu.Unlock()
	}()
	return launch(ctx, s)
}

// keep leaves the old process running after a failed change, or says that there
// is none.
func (p *Plugin) keep(old *process, err error) *process {
	p.logger.Error("plugin not started", "reason", err)
	if old != nil && old.isRunning() {
		p.set(func(s *Status) {
			s.Reason = "the changed plugin did not start, the previous one still runs: " + err.Error()
		})
		return old
	}
	p.bury()
	state := StateFailed
	if retriable(err) {
		state = StateRestarting
	}
	p.set(func(s *Status) { s.State, s.Reason, s.PID = state, err.Error(), 0 })
	return nil
}

// crashed notes that the process ended by itself.
func (p *Plugin) crashed(wait time.Duration) {
	reason := "the process ended by itself"
	if proc := p.bury(); proc != nil {
		reason = proc.epitaph()
	}
	if wait > 0 {
		reason += fmt.Sprintf("; next start in %s", wait)
	}
	p.set(func(s *Status) {
		s.State, s.Reason, s.PID = StateRestarting, reason, 0
		s.Restarts++
	})
	p.logger.Error("plugin ended", "reason", reason)
}

// bury cleans up after a process that ended by itself, and returns it.
func (p *Plugin) bury() *process {
	proc := p.take()
	if proc != nil {
		proc.retire(0)
	}
	return proc
}

// end stops the process, if there is one, after its running requests.
func (p *Plugin) end(state State) {
	if proc := p.take(); proc != nil {
		proc.retire(p.options.DrainTimeout)
	}
	p.set(func(s *Status) { s.State, s.Reason, s.PID, s.Token = state, "", 0, TokenDecision{} })
}

// take removes the process from the reach of requests.
func (p *Plugin) take() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	proc := p.current
	p.current = nil
	return proc
}

// A permanent error is one that only a change of the plugin can mend.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func retriable(err error) bool {
	var permanent permanentError
	return err != nil && !errors.As(err, &permanent)
}
