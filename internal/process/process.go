// Package process starts processes that leave no other processes behind.
//
// It owns process groups and their end, which differ by operating system. It knows
// nothing of what the processes do.
package process

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Grace is how long commands such as go, git and npm may take to clean up after an interrupt.
const Grace = 5 * time.Second

// drain is how long output is read after the end of a process whose children hold it open.
const drain = 500 * time.Millisecond

// TempDir returns os.TempDir, or /tmp if that leaves no room for the names of sockets: some Unix systems limit
// their paths to 104 bytes.
func TempDir() string {
	if base := os.TempDir(); len(base) <= 24 || os.PathSeparator != '/' {
		return base
	}
	return "/tmp"
}

// Run runs a command made by exec.CommandContext in its own process group. When the
// context is done it interrupts the group, and kills it after grace; if grace is 0 it
// kills it at once. Once the command has ended, it kills what is left of the group. It is
// not an error if a process that the command left behind kept its output open.
func Run(cmd *exec.Cmd, grace time.Duration) error {
	// On Linux a child is signaled when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	group := NewGroup(cmd)
	cmd.WaitDelay = max(grace, drain)
	cmd.Cancel = func() error {
		if grace > 0 {
			return group.interrupt()
		}
		group.Kill()
		return cmd.Process.Kill()
	}
	err := group.Start()
	if err != nil {
		return err
	}
	err = cmd.Wait()
	group.End()
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// Output runs a command as Run does, with Grace, and returns its standard output. The
// text of the error is what the command wrote to standard error, if anything.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := Run(cmd, Grace)
	if text := bytes.TrimSpace(stderr.Bytes()); err != nil && len(text) > 0 {
		err = &outputError{string(text), err}
	}
	return stdout.Bytes(), err
}

type outputError struct {
	text string
	err  error
}

// Error returns what the command wrote to standard error.
func (e *outputError) Error() string { return e.text }

// Unwrap returns the error of the command.
func (e *outputError) Unwrap() error { return e.err }
