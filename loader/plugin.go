package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

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
}

// Plugin is a mounted plugin and the process of its backend, if it has one.
type Plugin struct {
	id      string
	options Options
	runDir  string
	logger  *slog.Logger

	changed chan struct{} // capacity 1: the bundle may have changed
	cancel  context.CancelFunc
	done    chan struct{} // the supervisor has returned

	retiring sync.WaitGroup // replaced processes that are finishing their calls

	mu      sync.Mutex
	bundle  mounted
	status  Status
	current *Process
	pending int                // updates that are not handled yet
	abort   context.CancelFunc // cancels the start in progress, or nil
	starts  string             // stamp of the bundle that is being started
	moved   chan struct{}      // closed and replaced at every change of the status
}

func newPlugin(b mounted, o Options, runDir string) *Plugin {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Plugin{
		id: b.Metadata.ID, options: o, runDir: runDir,
		logger:  o.Logger.With("plugin", b.Metadata.ID),
		changed: make(chan struct{}, 1), cancel: cancel, done: make(chan struct{}),
		bundle: b, moved: make(chan struct{}),
		status: Status{State: StateStarting, Since: time.Now()},
	}
	if !b.Metadata.Backend {
		p.status.State = StateNoBackend
	}
	p.pending = 1
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

// Use calls do with a client of the running process and keeps that process until do
// returns. It waits for a process that is starting or restarting. The error explains why
// there is none.
func (p *Plugin) Use(ctx context.Context, do func(*backend.Client) error) error {
	proc, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer proc.release()
	return do(proc.client)
}

// QueryData sends queries to the plugin.
func (p *Plugin) QueryData(ctx context.Context, req *sdk.QueryDataRequest) (responses sdk.QueryDataResponse, err error) {
	err = p.Use(ctx, func(c *backend.Client) error {
		responses, err = c.QueryData(ctx, req)
		return err
	})
	return responses, err
}

// CheckHealth requests the plugin's health.
func (p *Plugin) CheckHealth(ctx context.Context, req *sdk.CheckHealthRequest) (result *sdk.CheckHealthResult, err error) {
	err = p.Use(ctx, func(c *backend.Client) error {
		result, err = c.CheckHealth(ctx, req)
		return err
	})
	return result, err
}

// CallResource sends a request to the plugin's own endpoints; see
// backend.Client.CallResource.
func (p *Plugin) CallResource(ctx context.Context, req *backend.CallResourceRequest, receive func(backend.CallResourceResponse) error) error {
	return p.Use(ctx, func(c *backend.Client) error { return c.CallResource(ctx, req, receive) })
}

// acquire returns the running process; the caller must release it.
func (p *Plugin) acquire(ctx context.Context) (*Process, error) {
	timeout := time.NewTimer(p.options.ReadyTimeout)
	defer timeout.Stop()
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
		case StateFailed, StateStopped:
			return nil, p.unavailable(status)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
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

// update notifies the supervisor that the bundle may have changed.
func (p *Plugin) update(b mounted) {
	p.mu.Lock()
	p.bundle = b
	p.pending++
	if p.abort != nil && stamp(b.Plugin) != p.starts {
		p.abort() // a start that hangs must not delay the bundle that fixes it
	}
	p.mu.Unlock()
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// stamp identifies the state of a bundle on disk, without reading its contents.
func stamp(b bundle.Plugin) string {
	text := b.Dir
	for _, name := range []string{bundle.MetadataFile, bundle.Host().Executable(b.Metadata.Executable)} {
		if info, err := os.Stat(filepath.Join(b.Dir, filepath.FromSlash(name))); err == nil {
			text += fmt.Sprintf("\n%d %s", info.Size(), info.ModTime())
		}
	}
	return text
}

// settled waits until every update has been handled.
func (p *Plugin) settled(ctx context.Context) error {
	for {
		p.mu.Lock()
		pending, moved := p.pending, p.moved
		p.mu.Unlock()
		if pending == 0 {
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
	before := p.status.State
	change(&p.status)
	if p.status.State != before {
		p.status.Since = time.Now()
	}
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *Plugin) stop() {
	p.cancel()
	<-p.done
}
