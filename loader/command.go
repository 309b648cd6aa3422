package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/internal/process"
)

// pipeGrace is how long output is read after the end of a process whose children hold the pipes open.
const pipeGrace = 500 * time.Millisecond

// command is a runner.Runner of go-plugin. Unlike its own, it detects at once that the process has
// ended, ends the whole process group, has no standard input, and lives no longer than the host.
type command struct {
	cmd            *exec.Cmd
	group          *process.Group
	stdout, stderr *os.File
	rest           io.Writer // receives standard output from the second line on
	exited         chan struct{}
	startErr       error // why the executable could not be started
	waitErr        error // how the process ended; read after exited

	mu         sync.Mutex // orders Start and Kill
	isKilled   bool
	wasAlive   bool // when Kill was called; if not, the process ended on its own
	interrupts bool // Kill interrupts the process first, which is a debugger and ends its own
}

func newCommand(executable, dir string, env []string, rest io.Writer) *command {
	cmd := exec.Command(executable)
	cmd.Dir, cmd.Env = dir, env
	return &command{cmd: cmd, group: process.NewGroup(cmd), rest: rest, exited: make(chan struct{})}
}

// Start starts the executable, unless Kill was called before.
func (c *command) Start(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isKilled {
		return c.failed(context.Canceled)
	}
	stdout, outW, err := os.Pipe()
	if err != nil {
		return c.failed(err)
	}
	stderr, errW, err := os.Pipe()
	if err != nil {
		return c.failed(errors.Join(err, stdout.Close(), outW.Close()))
	}
	c.stdout, c.stderr = stdout, stderr
	c.cmd.Stdout, c.cmd.Stderr = outW, errW

	started := make(chan error)
	go func() {
		// On Linux a child is signaled when the thread that started it ends, so
		// this goroutine keeps its thread until the process has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.group.Start()
		_, _ = outW.Close(), errW.Close()
		started <- err
		if err != nil {
			return
		}
		c.waitErr = c.cmd.Wait()
		c.group.End()
		close(c.exited)
		time.Sleep(pipeGrace)
		_, _ = stdout.Close(), stderr.Close()
	}()
	if err := <-started; err != nil {
		return c.failed(errors.Join(err, stdout.Close(), stderr.Close()))
	}
	return nil
}

func (c *command) failed(err error) error {
	c.startErr = err
	close(c.exited)
	return err
}

// Wait waits for the end of the process.
func (c *command) Wait(context.Context) error {
	<-c.exited
	return c.waitErr
}

// Kill ends the process and its children.
func (c *command) Kill(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isKilled = true
	if c.cmd.Process == nil || c.hasExited() {
		return nil
	}
	c.wasAlive = true
	if c.interrupts && c.cmd.Process.Signal(os.Interrupt) == nil {
		select {
		case <-c.exited:
			return nil
		case <-time.After(killAfter):
		}
	}
	c.group.Kill()
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// Stdout returns the line of the handshake and then io.EOF.
func (c *command) Stdout() io.ReadCloser {
	return &firstLine{file: c.stdout, rest: c.rest, exited: c.exited}
}

// Stderr returns standard error, which carries the logs.
func (c *command) Stderr() io.ReadCloser { return c.stderr }

// Name returns the path of the executable.
func (c *command) Name() string { return c.cmd.Path }

// ID returns the process id.
func (c *command) ID() string {
	if c.cmd.Process == nil {
		return ""
	}
	return strconv.Itoa(c.cmd.Process.Pid)
}

// Diagnose returns nothing: startError explains failures.
func (c *command) Diagnose(context.Context) string { return "" }

// PluginToHost returns addresses unchanged.
func (c *command) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin returns addresses unchanged.
func (c *command) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// firstLine returns the first line of standard output and copies the rest to another
// writer: go-plugin would stop at a line over 64 KB and block the backend.
type firstLine struct {
	file   *os.File
	rest   io.Writer
	exited <-chan struct{} // of the process
	done   bool
}

// Read returns bytes up to the end of the first line.
func (l *firstLine) Read(p []byte) (int, error) {
	if l.done {
		_, _ = io.Copy(l.rest, l.file) // a broken pipe is an end as well
		return 0, io.EOF
	}
	n, err := l.file.Read(p)
	if end := bytes.IndexByte(p[:n], '\n'); end >= 0 {
		_, _ = l.rest.Write(p[end+1 : n])
		n, l.done = end+1, true
	}
	if err != nil {
		// Let it end first, which explains the failure: go-plugin kills a process whose output ends early.
		select {
		case <-l.exited:
		case <-time.After(pipeGrace):
		}
	}
	return n, err
}

// Close closes the pipe.
func (l *firstLine) Close() error { return l.file.Close() }

// isStarted reports whether Start was called, even if it failed. Go-plugin can fail before that.
func (c *command) isStarted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cmd.Process != nil || c.startErr != nil
}

func (c *command) lacksDir() bool {
	_, err := os.Stat(c.cmd.Dir)
	return errors.Is(err, fs.ErrNotExist)
}

func (c *command) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

// endedAlone reports whether the process has ended and Kill did not end it.
func (c *command) endedAlone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hasExited() && !c.wasAlive
}

func (c *command) result() string {
	if c.waitErr == nil {
		return "exit status 0"
	}
	return fmt.Sprint(c.waitErr)
}
