package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// State is the state of a plugin's backend.
type State string

// The states of a backend.
const (
	StateNoBackend  State = "no-backend" // nothing to run
	StateStarting   State = "starting"
	StateRunning    State = "running"
	StateRestarting State = "restarting" // the process crashed; another one will be started
	StateCrashLoop  State = "crash-loop" // it crashed too often; it starts when the plugin changes or is restarted
	StateFailed     State = "failed"     // it cannot start until the plugin changes
	StateStopped    State = "stopped"
)

// Status describes the backend of a mounted plugin.
type Status struct {
	State    State
	Reason   string        // why it is not running, or why the last change did not start
	PID      int           // of the running process, or 0
	Restarts int           // how often it crashed
	Since    time.Time     // of State
	Token    TokenDecision // whether the backend got a service account token

	NextStart time.Time // in StateRestarting, when a start is planned; otherwise zero
}

// Plugin is a mounted plugin and the process of its backend, if it has one.
type Plugin struct {
	id      string
	options Options
	runDir  *runDir
	starts  *semaphore.Weighted // of processes at the same time
	logger  *slog.Logger
	calls   chan struct{} // in progress

	records  *records
	figures  *figures
	troubles troubles

	changed  chan struct{} // capacity 1: something else may be wanted
	cancel   context.CancelFunc
	done     chan struct{}  // the supervisor has returned
	retiring sync.WaitGroup // replaced processes that are finishing their calls

	mu        sync.Mutex
	want      desired
	settled   int      // version of what was wanted that the status reflects
	starting  *attempt // in progress, or nil
	current   *Process
	settings  *Settings // that the last process was started with, or nil
	status    Status
	moved     chan struct{} // closed and replaced at every change of the status
	isRemoved bool          // from the loader
}

type attempt struct {
	identity identity
	abort    context.CancelFunc
}

func newPlugin(b bundle.Plugin, id identity, o Options, runDir *runDir, starts *semaphore.Weighted) *Plugin {
	o = o.forPlugin(b.Metadata.ID)
	ctx, cancel := context.WithCancel(context.Background())
	p := &Plugin{
		id: b.Metadata.ID, options: o, runDir: runDir, starts: starts, logger: o.Logger.With("plugin", b.Metadata.ID),
		calls: make(chan struct{}, o.Limits.Calls), changed: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
		want: desired{bundle: b, identity: id, version: 1}, moved: make(chan struct{}),
		status: Status{State: StateStarting, Since: time.Now()},
	}
	p.records, p.figures = newRecords(p.logger), newFigures(p)
	if !b.Metadata.Backend {
		p.status.State = StateNoBackend
	}
	p.notify(ChangeAdded)
	s := supervisor{Plugin: p}
	go s.run(ctx)
	return p
}

// ID returns the plugin's id.
func (p *Plugin) ID() string { return p.id }

// Bundle returns the mounted bundle.
func (p *Plugin) Bundle() bundle.Plugin { return p.wanted().bundle }

// Status returns the current status.
func (p *Plugin) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func (p *Plugin) wanted() desired {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.want
}

// process returns the running process, or nil. It may have ended.
func (p *Plugin) process() *Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current
}

// acquire returns the running process; the caller must release it.
func (p *Plugin) acquire(ctx context.Context) (*Process, error) {
	var deadline time.Time
	var timeout <-chan time.Time // nil until this call has to wait
	for {
		p.mu.Lock()
		proc, status, moved := p.current, p.status, p.moved
		if proc != nil && proc.hold() {
			p.mu.Unlock()
			return proc, nil
		}
		p.mu.Unlock()
		switch status.State {
		case StateNoBackend:
			return nil, fmt.Errorf("%w: the plugin has no backend", backend.ErrUnsupported)
		case StateFailed, StateCrashLoop, StateStopped:
			return nil, p.unavailable(status)
		}
		if timeout == nil {
			deadline, timeout = time.Now().Add(p.options.ReadyTimeout), time.After(p.options.ReadyTimeout)
		}
		if status.NextStart.After(deadline) {
			return nil, p.unavailable(status)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout:
			return nil, p.unavailable(status)
		}
	}
}

func (p *Plugin) unavailable(s Status) error {
	e := &sdk.Error{
		Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin,
		Message: fmt.Sprintf("the backend of %s is not running (%s); the page of the plugin and the log of the host say why", p.id, s.State),
	}
	if s.Reason != "" { // a plugin that is starting has none
		e.Cause = errors.New(s.Reason)
	}
	return e
}

// change changes what is wanted, and wakes the supervisor.
func (p *Plugin) change(change func(*desired)) {
	p.mu.Lock()
	change(&p.want)
	p.want.version++
	if p.starting != nil && p.starting.identity != p.want.identity {
		p.starting.abort() // a start that hangs must not delay the bundle that fixes it
	}
	p.mu.Unlock()
	p.wake()
}

func (p *Plugin) update(b bundle.Plugin, id identity) {
	p.change(func(want *desired) {
		want.bundle, want.identity = b, id
		if !p.mayHaveToken() {
			want.revocations++
		}
	})
}

// wake makes the supervisor look at what is wanted.
func (p *Plugin) wake() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Settled waits until the changes found so far have been handled: the backend has started,
// failed to start, or stopped. The error wraps that of ctx.
func (p *Plugin) Settled(ctx context.Context) error {
	version := p.wanted().version
	for {
		p.mu.Lock()
		isSettled, moved := p.settled >= version, p.moved
		p.mu.Unlock()
		if isSettled || p.options.waits(p.id) {
			return nil
		}
		select {
		case <-moved:
		case <-p.done:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("wait for plugin %s: %w", p.id, ctx.Err())
		}
	}
}

// settle records that the status reflects a version of what is wanted.
func (p *Plugin) settle(version int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = max(p.settled, version)
	p.signal()
}

func (p *Plugin) setAttempt(a *attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting = a
	if a != nil && a.identity != p.want.identity {
		a.abort()
	}
}

// set changes the status and wakes the goroutines that wait for a change.
func (p *Plugin) set(change func(*Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.status
	change(&p.status)
	if p.status.State != before.State {
		p.status.Since = time.Now()
	}
	p.notifyState(before)
	p.signal()
}

// signal wakes the goroutines that wait for a change. The caller holds p.mu.
func (p *Plugin) signal() {
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *Plugin) stop() {
	p.cancel()
	<-p.done
}

// Restart replaces the process of the backend with a new one without dropping a call, even
// if nothing has changed. It also starts the process of a plugin that crashed too often or
// could not be started. It returns when the new process has started or failed to start;
// Status reports which. If it failed, the next start that succeeds replaces the process. The
// error is backend.ErrUnsupported if the plugin has no backend.
func (p *Plugin) Restart(ctx context.Context) error {
	if !p.Bundle().Metadata.Backend {
		return fmt.Errorf("%w: the plugin has no backend", backend.ErrUnsupported)
	}
	p.change(func(want *desired) { want.restarts++ })
	return p.Settled(ctx)
}

// ChangeKind is the kind of a Change.
type ChangeKind string

// The kinds of changes.
const (
	ChangeAdded   ChangeKind = "added"
	ChangeRemoved ChangeKind = "removed"
	ChangeState   ChangeKind = "state" // the state, the process or the reason changed
)

// Change is a change to a mounted plugin.
type Change struct {
	Kind    ChangeKind
	ID      string
	Version string // of the plugin
	Status  Status
}

// notifyState calls Options.Notify if the status has changed. The caller holds the lock.
func (p *Plugin) notifyState(before Status) {
	if now := p.status; now.State != before.State || now.PID != before.PID || now.Reason != before.Reason {
		p.notify(ChangeState)
	}
}

// removed notifies that the plugin is no longer mounted. Later changes are not reported.
func (p *Plugin) removed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notify(ChangeRemoved)
	p.isRemoved = true
}

// notify calls Options.Notify. The caller holds the lock.
func (p *Plugin) notify(kind ChangeKind) {
	if p.options.Notify != nil && !p.isRemoved {
		p.options.Notify(Change{kind, p.id, p.want.bundle.Metadata.Info.Version, p.status})
	}
}
