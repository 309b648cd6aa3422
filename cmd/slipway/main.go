// Command slipway scaffolds, checks, builds and runs plugins of a dashboard service.
//
// It has all verbs. Package verbs implements those that the Mage targets run in
// process; dev, host and conformance are implemented here, because they run plugins
// and a plugin repository must not compile a host. The Mage targets of those names
// build and start this command.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/slipway-dev/slipway/internal/verbs"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible returns a context that ends at the first signal. A second signal of the same
// kind kills the process. Signals of different kinds count as one: on Ctrl-C, Mage sends
// SIGTERM in addition to the SIGINT from the terminal.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			signal.Reset(s)
			cancel()
		}
	}()
	return ctx, cancel
}

// run runs the command line and returns the exit status.
func run(ctx context.Context, args []string, stdout *os.File, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	if err == nil {
		return verbs.ExitOK
	}
	first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if _, ok := errors.AsType[*verbs.ExitError](err); !ok && c == root && first >= 0 { // Cobra may know no such command
		err = cmp.Or(knownCommand(root, args[first:]), err)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(stderr, "slipway:", text)
	}
	if exit, ok := errors.AsType[*verbs.ExitError](err); ok {
		return exit.Code
	}
	return verbs.ExitFindings
}
