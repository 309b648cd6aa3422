// Command slipway scaffolds, checks, builds and runs plugins of a dashboard service.
//
// It has all verbs. Package verbs implements those that the Mage targets run in
// process; dev, host and conformance are implemented here, because they run plugins
// and a plugin repository must not compile a host. The Mage targets of those names
// build and start this command.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/slipway-dev/slipway/internal/verbs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the command line and returns the exit status.
func run(ctx context.Context, args []string, stdout *os.File, stderr io.Writer) int {
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return verbs.ExitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(stderr, "slipway:", text)
	}
	if exit, ok := errors.AsType[*verbs.ExitError](err); ok {
		return exit.Code
	}
	return verbs.ExitFindings
}
