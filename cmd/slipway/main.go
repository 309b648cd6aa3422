// Command slipway scaffolds, checks, builds and runs plugins of a dashboard
// service. Its verbs are those of the Mage targets, for CI, for repositories
// without Go code, and with the reference host in it.
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

// run is the whole program; it returns the exit code.
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
	var exit *verbs.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	return verbs.ExitFindings
}
