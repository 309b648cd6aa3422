package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// pipeGrace is how long output is still read after the process has ended, in case
// a child of its own holds the pipes open.
const pipeGrace = 500 * time.Millisecond

// run is a started program as go-plugin's runner.Runner. Unlike go-plugin's own
// it knows the end of the process at once, ends its whole process group, gives it
// no standard input, and ties its life to the host's.
type run struct {
	cmd            *exec.Cmd
	stdout, stderr *os.File
	rest           io.Writer // gets standard output from the second line on; nil discards
	exited         chan struct{}
	startErr       error // why the program could not be started
	waitErr        error // how it ended; read after exited

	mu     sync.Mutex // orders Start and Kill
	killed bool
}

func newRun(cmd *exec.Cmd) *run { return &run{cmd: cmd, exited: make(chan struct{})} }

// Start starts the program, unless it was killed already.
func (r *run) Start(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return r.failed(context.Canceled)
	}
	stdout, outW, err := os.Pipe()
	if err != nil {
		return r.failed(err)
	}
	stderr, errW, err := os.Pipe()
	if err != nil {
		return r.failed(errors.Join(err, stdout.Close(), outW.Close()))
	}
	r.stdout, r.stderr = stdout, stderr
	r.cmd.Stdout, r.cmd.Stderr = outW, errW
	r.cmd.SysProcAttr = processAttributes()

	started := make(chan error)
	go func() {
		// On Linux a child is signalled when the thread that made it ends, so
		// this goroutine keeps its thread for as long as the process lives.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := r.cmd.Start()
		_, _ = outW.Close(), errW.Close()
		started <- err
		if err != nil {
			return
		}
		r.waitErr = r.cmd.Wait()
		endGroup(r.cmd.Process.Pid)
		close(r.exited)
		time.Sleep(pipeGrace)
		_, _ = stdout.Close(), stderr.Close()
	}()
	if err := <-started; err != nil {
		return r.failed(errors.Join(err, stdout.Close(), stderr.Close()))
	}
	return nil
}

func (r *run) failed(err error) error {
	r.startErr = err
	close(r.exited)
	return err
}

// Wait waits for the end of the process.
func (r *run) Wait(context.Context) error {
	<-r.exited
	return r.waitErr
}

// Kill ends the process and its children.
func (r *run) Kill(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	if r.cmd.Process == nil || r.hasExited() {
		return nil
	}
	endGroup(r.cmd.Process.Pid)
	if err := r.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Stdout is where the handshake is read from.
func (r *run) Stdout() io.ReadCloser { return &handshake{file: r.stdout, rest: r.rest} }

// Stderr is where logs are read from.
func (r *run) Stderr() io.ReadCloser { return r.stderr }

// Name is the path of the program.
func (r *run) Name() string { return r.cmd.Path }

// ID is the process id.
func (r *run) ID() string {
	if r.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(r.cmd.Process.Pid)
}

// Diagnose adds nothing: startError words the reason.
func (r *run) Diagnose(context.Context) string { return "" }

// PluginToHost leaves addresses as they are.
func (r *run) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin leaves addresses as they are.
func (r *run) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// handshake reads the first line of standard output and then drains the rest
// itself, since go-plugin would stop at a line over 64 KB and block the backend.
type handshake struct {
	file *os.File
	rest io.Writer // nil discards
	done bool
}

// Read returns bytes up to the end of the first line.
func (h *handshake) Read(p []byte) (int, error) {
	rest := h.rest
	if rest == nil {
		rest = io.Discard
	}
	if h.done {
		_, _ = io.Copy(rest, h.file) // a broken pipe is an end as well
		return 0, io.EOF
	}
	n, err := h.file.Read(p)
	if end := bytes.IndexByte(p[:n], '\n'); end >= 0 {
		_, _ = rest.Write(p[end+1 : n])
		n, h.done = end+1, true
	}
	return n, err
}

// Close closes the pipe.
func (h *handshake) Close() error { return h.file.Close() }

func (r *run) hasExited() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// result says how the process ended.
func (r *run) result() string {
	if r.waitErr == nil {
		return "exit status 0"
	}
	return fmt.Sprint(r.waitErr)
}
