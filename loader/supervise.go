package loader

import (
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
func (p *Plugin) supervise() {
	defer close(p.done)
	failures := 0
	var retry <-chan time.Time
	var exited <-chan struct{}
	var startedAt time.Time
	step := func() {
		proc, err := p.refresh()
		exited, retry = nil, nil
		if proc != nil {
			exited, startedAt = proc.exited, time.Now()
		} else if retriable(err) {
			failures++
			retry = time.After(max(backoff(failures), backoffFirst))
		}
	}
	step()
	for {
		select {
		case <-p.ctx.Done():
			p.retire(p.take(), StateStopped, "")
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
func (p *Plugin) refresh() (*process, error) {
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
		p.retire(p.take(), StateNoBackend, "")
		return nil, nil
	}
	spec, err := p.prepare(b)
	if err == nil && old != nil && old.isRunning() && old.print == spec.print {
		p.set(func(s *Status) { s.Reason = "" })
		return old, nil
	}
	var next *process
	if err == nil {
		next, err = launch(p.ctx, spec)
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
		p.retiring.Go(func() {
			old.drain(p.options.DrainTimeout)
			old.kill()
		})
	}
	return next, nil
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
	state := StateFailed
	if retriable(err) {
		state = StateRestarting
	}
	p.set(func(s *Status) { s.State, s.Reason, s.PID = state, err.Error(), 0 })
	return nil
}

// crashed notes that the process ended by itself.
func (p *Plugin) crashed(wait time.Duration) {
	proc := p.take()
	reason := "the process ended by itself"
	if proc != nil {
		reason = proc.epitaph()
		proc.kill()
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

// take removes the process from the reach of requests.
func (p *Plugin) take() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	proc := p.current
	p.current = nil
	return proc
}

func (p *Plugin) retire(proc *process, state State, reason string) {
	if proc != nil {
		proc.drain(p.options.DrainTimeout)
		proc.kill()
	}
	p.set(func(s *Status) { s.State, s.Reason, s.PID = state, reason, 0 })
}

// A permanent error is one that only a change of the plugin can mend.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func retriable(err error) bool {
	var permanent permanentError
	return err != nil && !errors.As(err, &permanent)
}
