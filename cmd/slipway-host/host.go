package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/slipway-dev/slipway/cmd/internal/serve"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/loader/watch"
)

func hostVerb() verbs.Verb {
	o := &verbs.HostOptions{}
	return verbs.HostVerb(o, func(ctx context.Context, c verbs.Call) error { return runHost(ctx, c, *o) })
}

// runHost runs a host until ctx is done.
func runHost(ctx context.Context, c verbs.Call, o verbs.HostOptions) error {
	f := c.Face
	if o.PluginDirs == nil && f == verbs.Mage {
		o.PluginDirs = []string{"."}
	}
	if !slices.Contains(watch.Modes(), o.Watch) {
		return verbs.Usage("%s: %w", f.Option("watch"), nearest.Unknown("mode", o.Watch, watch.Modes()))
	}
	served, err := serve.Options(c, o.ServeOptions)
	if err != nil {
		return err
	}
	served.PluginDirs, served.Watch = o.PluginDirs, watch.Mode(o.Watch)
	served.Debug.Launch, served.Provisioning = o.Debug, o.Provisioning
	if err := serve.Debug(ctx, f, &served.Debug, ".", c.Stdout); err != nil {
		return err
	}
	hangup, isInteractive := hangups(), hasTerminal()
	s, err := serve.Open(ctx, f, served, term.IsTerminal(int(c.Stdout.Fd())), c.Stdout, c.Stderr)
	if err != nil {
		return err
	}
	if len(o.PluginDirs) == 0 {
		fmt.Fprintf(c.Stdout, "note: no plugin directories were given; add them with %s\n", f.Option("plugins-dir"))
	}
	return errors.Join(scanOnHangup(ctx, s, c.Stderr, hangup, isInteractive), serve.Close(s, c.Stdout))
}

// scanOnHangup scans the plugins on each hangup, until ctx is done, the host fails, or its terminal closes.
func scanOnHangup(ctx context.Context, s *server.Server, stderr io.Writer, hangup <-chan os.Signal, isInteractive bool) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-s.Failed():
			return err
		case <-hangup:
			if isInteractive && !hasTerminal() {
				return nil
			}
			if err := s.Mount(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintln(stderr, "plugins not mounted:", err)
			}
		}
	}
}
