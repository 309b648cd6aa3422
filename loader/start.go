package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
)

// Process is one process of a plugin's backend that nobody restarts: for those who
// try a plugin rather than serve with it. A Loader does the latter.
type Process struct {
	process *process
	runDir  string
}

// Output takes what a process prints, as it is, beside the log of Options. Nil
// discards. The writers are used by several goroutines at once, and one that fails or
// blocks holds up the process.
type Output struct {
	Stdout io.Writer // without the line of the handshake
	Stderr io.Writer
}

// Start starts the backend of a plugin, as a Loader does, and returns when it has
// shaken hands. Of the options it takes those about a process; Dirs is none. Stop it.
func Start(ctx context.Context, b bundle.Plugin, o Options, out Output) (*Process, error) {
	runDir, err := privateDir()
	if err != nil {
		return nil, err
	}
	s, err := prepare(b, o.withDefaults(), runDir)
	if err == nil {
		s.output = out
		var p *process
		if p, err = launch(ctx, s); err == nil {
			return &Process{process: p, runDir: runDir}, nil
		}
	}
	return nil, errors.Join(err, os.RemoveAll(runDir))
}

// Client calls the process; its Conn is the connection itself.
func (p *Process) Client() *backend.Client { return p.process.client }

// PID is the id of the process.
func (p *Process) PID() int { return p.process.pid }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.process.run.exited }

// Result says how the process ended; call it when Exited is closed.
func (p *Process) Result() string { return p.process.run.result() }

// Stop asks the process to stop, kills it after 2 s, and returns when it has ended.
func (p *Process) Stop() error {
	p.process.retire(0)
	if err := os.RemoveAll(p.runDir); err != nil {
		return fmt.Errorf("remove folder of a plugin process: %w", err)
	}
	return nil
}

// tee writes to a log, and to another writer if there is one.
func tee(to *logs, other io.Writer) io.Writer {
	if other == nil {
		return to
	}
	return io.MultiWriter(to, other)
}
