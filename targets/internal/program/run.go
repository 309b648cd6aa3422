package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// envFace tells the program how messages spell commands: as for Mage, or as for "go tool slipway".
const envFace = "SLIPWAY_FACE"

// Option returns an option for the program, or "" if it was not given to Mage.
func Option[T string | bool](name string, value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("--%s=%v", name, *value)
}

// Args returns the arguments for the program that were given to Mage as options.
func Args(values ...*string) (args []string) {
	for _, v := range values {
		if v != nil {
			args = append(args, *v)
		}
	}
	return args
}

// Mage runs a verb of the program for a target. If it fails, it exits with its status, as the reason was printed.
func Mage(ctx context.Context, verb string, args []string, options ...string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := withParent(ctx)
	defer cancel()
	path, err := Find(ctx, os.Stderr)
	if err != nil {
		return err
	}
	status, err := run(ctx, path, commandLine(verb, args, options))
	if status > 0 {
		os.Exit(status)
	}
	return err
}

func commandLine(verb string, args, options []string) []string {
	line := strings.Fields(verb) // a verb may be below another, as in "scaffold update"
	for _, o := range options {
		if o != "" {
			line = append(line, o)
		}
	}
	return append(append(line, "--"), args...)
}

// stopTimeout is longer than the program needs to stop a host.
const stopTimeout = 20 * time.Second

// run runs the program and returns its exit status, or an error if it could not run. A terminal sends
// Ctrl-C to the program as well; the signal is for the case in which only Mage is stopped.
func run(ctx context.Context, path string, args []string) (status int, err error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), envFace+"=mage")
	cmd.WaitDelay = stopTimeout
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	if ctx.Err() != nil {
		return 0, nil
	}
	return 0, err
}

// withParent returns a context that ends with the parent process: Mage, on SIGTERM, does not tell the targets.
func withParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent := os.Getppid()
	go func() {
		defer cancel()
		if p, err := os.FindProcess(parent); err == nil && runtime.GOOS == "windows" {
			_, _ = p.Wait() // elsewhere, a process can wait only for those that it started
			return
		}
		for ctx.Err() == nil && os.Getppid() == parent { // until another process adopts this one
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return ctx, cancel
}

// Exec replaces this process with the program. On Windows, it runs the program and exits with its
// status; a terminal sends Ctrl-C to both. It returns only if the program cannot be started.
func Exec(path string, args []string) error {
	env := append(os.Environ(), envFace+"=tool")
	if runtime.GOOS != "windows" {
		return fmt.Errorf("start %s: %w", path, syscall.Exec(path, append([]string{path}, args...), env))
	}
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, env
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}
