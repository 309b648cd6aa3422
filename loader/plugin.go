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

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/sdk"
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

	changed chan struct{} // capacity 1: the bundle may have changed
	cancel  context.CancelFunc
	done    chan struct{} // the supervisor has returned

	calls chan struct{} // in progress

	after    []*Plugin // whose first start precedes that of this plugin
	troubles troubles

	records *records
	figures *figures

	retiring sync.WaitGroup // replaced processes that are finishing their calls

	mu       sync.Mutex
	bundle   mounted
	status   Status
	current  *Process
	pending  int                // updates that are not handled yet
	abort    context.CancelFunc // cancels the start in progress, or nil
	stamps   stamps             // of the bundle
	started  stamps             // of the bundle that was started last
	settings *Settings          // that the last process was started with, or nil
	moved    chan struct{}      // closed and replaced at every change of the status

	isRemoved   bool // from the loader
	mustReplace bool // Restart was called, and no process has started since
	mustStart   bool // Restart was called, and no attempt has begun since
	isWaiting   bool // for the next start, or for a change after too many crashes
	revocations int  // how often a bundle was not entitled to a token, which revokes it
}

func newPlugin(b mounted, now stamps, o Options, runDir *runDir, starts *semaphore.Weighted, after []*Plugin) *Plugin {
	o = o.forPlugin(b.Metadata.ID)
	ctx, cancel := context.WithCancel(context.Background())
	p := &Plugin{
		id: b.Metadata.ID, options: o, runDir: runDir, starts: starts, after: after,
		logger:  o.Logger.With("plugin", b.Metadata.ID),
		changed: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
		bundle: b, stamps: now, moved: make(chan struct{}), calls: make(chan struct{}, o.Limits.Calls),
		status: Status{State: StateStarting, Since: time.Now()},
	}
	p.records, p.figures = newRecords(p.logger), newFigures(p)
	if !b.Metadata.Backend {
		p.status.State = StateNoBackend
	}
	p.pending = 1
	p.notify(ChangeAdded)
	go p.supervise(ctx)
	return p
}

// ID returns the plugin's id.
func (p *Plugin) ID() string { return p.id }

// Bundle returns the mounted bundle.
func (p *Plugin) Bundle() bundle.Plugin {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bundle.Plugin
}

// Status returns the current status.
func (p *Plugin) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
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
	return &sdk.Error{
		Status: http.StatusServiceUnavailable, Source: sdk.SourcePlugin,
		Message: fmt.Sprintf("the backend of %s is not running (%s)", p.id, s.State),
		Cause:   errors.New(s.Reason),
	}
}

// update sets the bundle, which may have changed, and wakes the supervisor.
func (p *Plugin) update(b mounted, now stamps) {
	p.mu.Lock()
	p.bundle, p.stamps = b, now
	p.pending++
	if !p.mayHaveToken() {
		p.revocations++
	}
	if p.abort != nil && !now.isLike(p.started) {
		p.abort() // a start that hangs must not delay the bundle that fixes it
	}
	p.mu.Unlock()
	p.wake()
}

// wake makes the supervisor compare the process with the bundle.
func (p *Plugin) wake() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// Settled waits until the changes found so far have been handled: the backend has started,
// failed to start, or stopped. The error wraps that of ctx.
func (p *Plugin) Settled(ctx context.Context) error {
	for {
		p.mu.Lock()
		pending, moved := p.pending, p.moved
		p.mu.Unlock()
		if pending == 0 || p.options.waits(p.id) {
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
	p.records.end()
}
