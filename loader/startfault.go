package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// startError replaces go-plugin's error with a fault for the author of the plugin.
func startError(ctx context.Context, err error, c *command, stderr *logWriter, limit time.Duration) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return fmt.Errorf("start backend: %w", context.Canceled)
	}
	if c.startErr != nil {
		err := fmt.Errorf("start backend: %w", execFault(c))
		if isShortage(c.startErr) || c.lacksDir() { // a build may have moved the directory
			return err
		}
		return permanentError{err}
	}
	if c.endedAlone() {
		stderr.tail() // a crash is complete
	}
	f := handshakeFault(ctx, err.Error(), c, stderr.lines(), limit)
	f.Stderr = stderr.lines()
	return processError{fmt.Errorf("start backend: %w", f)}
}

// handshakeFault returns the fault for a process that is not connected. text is go-plugin's error.
func handshakeFault(ctx context.Context, text string, c *command, stderr []string, limit time.Duration) *bundle.Fault {
	after := func(mark string) (rest string, ok bool) {
		_, rest, ok = strings.Cut(text, mark)
		rest, _, _ = strings.Cut(strings.TrimSpace(rest), "\n")
		return rest, ok
	}
	if c.endedAlone() {
		// The messages of go-plugin, and of the dynamic loaders of glibc, musl and macOS.
		switch {
		case containsAny(stderr, "This binary is a plugin."):
			return newFault(bundle.FaultCookie, "it is a plugin for another kind of host: it does not accept the magic cookie of this host")
		case containsAny(stderr, "error while loading shared libraries", "Error loading shared library", "Library not loaded"):
			return newFault(bundle.FaultLibrary, "cannot execute: a shared library is missing (%s)", c.result())
		}
	}
	if line, ok := after("Unrecognized remote plugin message:"); ok && line != "" && !strings.HasPrefix(line, "Failed to read") {
		return newFault(bundle.FaultOutput, "it printed %q to standard output before the handshake; a backend must not print there", quote(line))
	}
	for _, mark := range []string{"incompatible API version with plugin.", "incompatible core API version with plugin."} {
		if versions, ok := after(mark); ok {
			return newFault(bundle.FaultProtocol, "it uses another version of the plugin protocol: %s", quote(versions))
		}
	}
	if protocol, ok := after("unsupported plugin protocol"); ok {
		return newFault(bundle.FaultTransport, "it does not use gRPC, but %s", quote(protocol))
	}
	switch {
	case c.endedAlone():
		return exitFault(c, stderr, true)
	case ctx.Err() != nil, strings.Contains(text, "timeout while waiting"):
		return newFault(bundle.FaultTimeout, "no handshake within %s, the start timeout", limit)
	case strings.Contains(text, "Unrecognized remote plugin message:"):
		return newFault(bundle.FaultExitedAtStart, "it exited or closed standard output before the handshake")
	}
	return newFault(bundle.FaultHandshake, "%s", quote(text))
}

// execFault returns the fault for an executable that the system did not start.
func execFault(c *command) *bundle.Fault {
	err, file := c.startErr, filepath.Base(c.cmd.Path)
	_, statErr := os.Stat(c.cmd.Path)
	switch {
	case c.lacksDir():
		return newFault(bundle.FaultExec, "cannot execute: the working directory, %s, does not exist", c.cmd.Dir)
	case errors.Is(err, fs.ErrPermission):
		return newFault(bundle.FaultExecDenied, "cannot execute: %v", err)
	case errors.Is(err, syscall.ENOEXEC):
		return newFault(bundle.FaultExecFormat, "cannot execute: %s is not a program for this system", file)
	case errors.Is(err, fs.ErrNotExist) && statErr == nil:
		return newFault(bundle.FaultInterpreter, "cannot execute: the interpreter of %s, or the C library that it needs, was not found", file)
	}
	return newFault(bundle.FaultExec, "cannot execute: %v", err)
}

// processError is an error of a process that started but did not complete the handshake.
type processError struct{ error }

func (e processError) Unwrap() error { return e.error }

// isShortage reports whether a temporary shortage kept a process from starting.
func isShortage(err error) bool {
	temporary := []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ETXTBSY, syscall.EINTR}
	return slices.ContainsFunc(temporary, func(errno error) bool { return errors.Is(err, errno) })
}
