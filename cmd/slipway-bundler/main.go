// Command slipway-bundler bundles one frontend for the Mage targets, which would otherwise
// compile esbuild in every plugin repository. It reads a build.Frontend as JSON from standard
// input and writes a build.Module to standard output. Exit status: 0 success, 1 an error, which
// is on standard error, 3 packages are missing.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/bundler"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, build.ErrNotDownloaded) {
		os.Exit(build.ExitNotDownloaded)
	}
	os.Exit(1)
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var f build.Frontend
	if err := json.NewDecoder(in).Decode(&f); err != nil {
		return fmt.Errorf("read the frontend to bundle: %w", err)
	}
	b, err := bundler.Bundler{}.Bundle(ctx, f)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(b)
}
