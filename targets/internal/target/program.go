package target

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/magefile/mage/mg"

	"github.com/slipway-dev/slipway/internal/orphan"
	"github.com/slipway-dev/slipway/internal/verbs"
)

// Interruptible returns a context that ends with a signal, or with Mage, which does not
// pass on SIGTERM.
func Interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := orphan.Context(ctx)
	ctx, stopSignals := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	return ctx, func() {
		stopSignals()
		stop()
	}
}

// Slipway builds the command slipway if needed and runs one of its verbs.
func Slipway(ctx context.Context, verb string, options map[string]*string) error {
	ctx, stop := Interruptible(ctx)
	defer stop()
	program, err := verbs.Program(ctx, "slipway", ".", os.Stderr)
	if err != nil {
		return Exit(err)
	}
	return Run(ctx, program, verb, options)
}

// Run runs a verb of the program with the options that are not nil.
func Run(ctx context.Context, program, verb string, options map[string]*string) error {
	args := []string{verb, "--face=" + string(verbs.Mage)}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if v := options[name]; v != nil {
			args = append(args, "--"+name+"="+*v)
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	// A terminal sends Ctrl-C to the program as well. The signal is for the case in which
	// only Mage is stopped.
	cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return nil
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	err := cmd.Run()
	if status, ok := errors.AsType[*exec.ExitError](err); ok && status.ExitCode() > 0 {
		return mg.Fatalf(status.ExitCode(), "%s exited with status %d", verb, status.ExitCode())
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
