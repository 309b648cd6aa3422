// Command slipway runs the program slipway in the version that go.mod requires, so that
// "go tool slipway" needs no installation. It builds the program if that is the first run.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/slipway-dev/slipway/targets/internal/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	path, err := program.Find(ctx, os.Stderr)
	stop()
	if err == nil {
		err = program.Exec(path, os.Args[1:])
	}
	fmt.Fprintln(os.Stderr, "slipway:", err)
	os.Exit(1)
}
