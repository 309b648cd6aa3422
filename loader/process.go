package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// Process is a running backend: a command that has completed the handshake. Nothing
// restarts it; a Loader replaces it with another.
type Process struct {
	conn     grpc.ClientConnInterface
	client   *backend.Client // calls on conn
	plugin   *goplugin.Client
	command  *command
	version  string     // see launch
	settings Settings   // that it was started with
	pid      func() int // of an attached process; otherwise nil
	detach   func()     // ends the connection to an attached process; otherwise nil
	dir      string     // private directory, removed at the end
	runDir   *runDir    // of a process without a Loader, removed at the end; otherwise nil

	stderr      *logWriter
	token       TokenDecision
	revocations int           // of the plugin's tokens before this process got its own
	deaf        <-chan string // see probe

	mu        sync.Mutex
	calls     int // in progress
	isRetired bool
	idle      chan struct{} // closed once isRetired is set and calls is 0

	serving    context.Context // ends when isRetired is set
	endStreams context.CancelFunc
}

// Output receives what a process prints, unchanged, in addition to the log of Options.
// A nil Writer discards. The writers are called concurrently, and one that fails or
// blocks holds up the process.
type Output struct {
	Stdout io.Writer // without the line of the handshake
	Stderr io.Writer
}

// Start starts the backend of a plugin without a Loader and returns when the
// handshake is complete. It ignores the Dirs of the options. The caller must stop the process.
func Start(ctx context.Context, p bundle.Plugin, o Options, out Output) (*Process, error) {
	o = o.withDefaults().forPlugin(p.Metadata.ID)
	runDir, err := newRunDir()
	if err != nil {
		return nil, err
	}
	l, err := prepare(p, o, runDir, nil)
	if err != nil {
		return nil, errors.Join(err, runDir.close())
	}
	l.records = newRecords(o.Logger.With("plugin", p.Metadata.ID))
	l.output = out
	proc, err := l.start(ctx)
	if err != nil {
		return nil, errors.Join(err, runDir.close())
	}
	proc.runDir = runDir
	return proc, nil
}

// Client calls the process.
func (p *Process) Client() *backend.Client { return p.client }

// PID returns the id of the process.
func (p *Process) PID() int {
	if p.pid != nil {
		return p.pid()
	}
	return p.command.cmd.Process.Pid
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.command.exited }

// Result describes how the process ended; call it when Exited is closed.
func (p *Process) Result() string { return p.command.result() }

// isRevoked reports whether the process lost its token, given how often tokens were revoked.
func (p *Process) isRevoked(revocations int) bool {
	return p.token.Injected && p.revocations != revocations
}

// Stop asks the process to stop, kills it after 2 s, and returns when it has ended.
func (p *Process) Stop() error { return p.retire(0) }

// hold delays the end of the process until release. It is false if the process is retired or has ended.
func (p *Process) hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isRetired || p.command.hasExited() {
		return false
	}
	p.calls++
	return true
}

func (p *Process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls--
	if p.isRetired && p.calls == 0 {
		close(p.idle)
	}
}

func (p *Process) reject() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isRetired && p.calls == 0 {
		close(p.idle)
	}
	p.isRetired = true
	p.endStreams()
}

// retire rejects new calls, waits at most drain for the others, ends the process and removes its directory.
func (p *Process) retire(drain time.Duration) error {
	p.reject()
	select {
	case <-p.idle:
	case <-p.Exited():
	case <-time.After(drain):
	}
	var err error
	if p.detach != nil {
		p.detach()
	} else {
		endClient(p.plugin, p.command)
		if err = process.RemoveAll(p.dir); err != nil {
			err = fmt.Errorf("remove directory of a plugin process: %w", err)
		}
	}
	if p.runDir != nil {
		err = errors.Join(err, p.runDir.close())
	}
	return err
}

// killAfter is how long a process may take to stop when it is asked to.
const killAfter = 2 * time.Second

// endClient asks a process to stop, kills it after killAfter, and waits for its end.
// go-plugin alone would wait forever for a process that does not respond.
func endClient(client *goplugin.Client, c *command) {
	kill := time.AfterFunc(killAfter, func() { _ = c.Kill(context.Background()) })
	defer kill.Stop()
	client.Kill()
	if c.isStarted() {
		<-c.exited
	}
}

// Probes find processes that run but do not respond, which are then replaced. A probe asks
// for the health of the gRPC server, which calls no code of the plugin. A missed probe of a
// process that a debugger traces does not count, where the system reports that (on Linux).
type Probes struct {
	Interval time.Duration // between probes; 0 is 10 s, negative disables them
	Timeout  time.Duration // of each probe; 0 is 10 s
	Misses   int           // in a row, after which a process is replaced; 0 is 3
}

func (o Probes) withDefaults() Probes {
	return Probes{
		Interval: cmp.Or(o.Interval, 10*time.Second),
		Timeout:  cmp.Or(o.Timeout, 10*time.Second),
		Misses:   cmp.Or(o.Misses, 3),
	}
}

// probe probes the process in the background until it ends. If the process stops
// responding, p.deaf receives a reason and probing ends.
func (p *Process) probe(o Probes) {
	if o.Interval < 0 {
		return
	}
	deaf := make(chan string, 1)
	p.deaf = deaf
	go func() {
		tick := time.Tick(o.Interval)
		misses := 0
		for {
			select {
			case <-p.Exited():
				return
			case <-tick:
			}
			switch {
			case p.responds(o.Timeout):
				misses = 0
			case process.IsTraced(p.PID()):
				misses = 0 // it is stopped at a breakpoint
			default:
				misses++
			}
			if misses >= o.Misses {
				deaf <- fmt.Sprintf("the process did not respond to %d probes of %s each and was killed", misses, o.Timeout)
				return
			}
		}
	}()
}

func (p *Process) responds(timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return ping(ctx, p.conn) == nil
}

func ping(ctx context.Context, c grpc.ClientConnInterface) error {
	_, err := grpc_health_v1.NewHealthClient(c).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: wire.HealthService})
	return err
}
