package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// Environment variables, which keep secrets out of the list of processes.
const (
	envAdminPassword = "SLIPWAY_ADMIN_PASSWORD"
	envDatabase      = "SLIPWAY_DATABASE"
	envSecretKey     = "SLIPWAY_SECRET_KEY" // shared by hosts that share a database
)

// hostFlags defines the flags that host and dev have in common.
func hostFlags(c *cobra.Command, o *server.Options) {
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:3000", "address to listen on; port 0 picks a free port")
	f.StringVar(&o.DataDir, "data-dir", "", "directory of the database and the keys of this host (default: .slipway/data)")
	f.StringVar(&o.Database, "database", "", "SQLite file (default: slipway.db in the data directory) or postgres://user:password@server/name; also from "+envDatabase)
	f.StringVar(&o.AdminPassword, "admin-password", "", "password of the user admin; also from "+envAdminPassword+" (default: generated and printed once)")
	f.StringVar(&o.ServiceVersion, "service-version", server.DefaultServiceVersion, "service version reported to plugins")
	f.StringSliceVar(&o.Toggles, "feature-toggles", o.Toggles, "enabled feature toggles, such as "+loader.ToggleServiceAccounts)
}

func hostCommand(stdout, stderr io.Writer) *cobra.Command {
	var o server.Options
	var trustedKeys string
	c := &cobra.Command{
		Use:   "host",
		Short: "Run the reference host on directories of plugins",
		Long: "Run the reference host on directories of plugins. It prints its URL once it accepts requests.\n" +
			"On SIGINT or SIGTERM it waits for requests in progress and stops.\n\n" +
			"Secrets of data sources are encrypted with the key in " + envSecretKey + ", 64 hexadecimal digits.\n" +
			"Without it, the first start generates a key in the data directory. Hosts that share a\n" +
			"PostgreSQL database need the same key.\n\n" +
			"A plugin with a MANIFEST.json that differs from it is not mounted. With --trusted-keys,\n" +
			"neither is one that none of these keys signed.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if trustedKeys != "" {
				var err error
				if o.TrustedKeys, err = verbs.ReadPublicKeys(face(c).Option("trusted-keys"), trustedKeys); err != nil {
					return err
				}
			}
			s, err := openHost(c.Context(), face(c), o, stdout, stderr)
			if err != nil {
				return err
			}
			select {
			case <-c.Context().Done():
			case err = <-s.Failed():
			}
			return errors.Join(err, closeHost(s, stdout))
		},
	}
	hostFlags(c, &o)
	c.Flags().StringArrayVar(&o.PluginDirs, "plugins-dir", nil, "directory of plugins; may be repeated; if two contain the same plugin id, the first wins")
	c.Flags().StringVar(&trustedKeys, "trusted-keys", "", "file with ed25519 public keys (PEM, or OpenSSH and minisign, one per line), one of which must have signed each plugin")
	return c
}

// openHost completes the options from the environment, starts a host and prints its
// URL.
func openHost(ctx context.Context, f verbs.Face, o server.Options, stdout, stderr io.Writer) (*server.Server, error) {
	o.Logger, o.Environ = slog.New(slog.NewTextHandler(stderr, nil)), os.Environ()
	if o.DataDir == "" {
		o.DataDir = filepath.Join(".slipway", "data")
	}
	if o.Database == "" {
		o.Database = os.Getenv(envDatabase)
	}
	if o.AdminPassword == "" {
		o.AdminPassword = os.Getenv(envAdminPassword)
	}
	if text := os.Getenv(envSecretKey); text != "" {
		var err error
		if o.Key, err = host.ParseKey(text); err != nil {
			return nil, fmt.Errorf("%s: %w", envSecretKey, err)
		}
	}
	s, err := server.Open(ctx, o)
	if listen, ok := errors.AsType[*server.ListenError](err); ok {
		return nil, &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("%s=%s: %w", f.Option("listen"), o.Listen, listen.Err)}
	}
	if _, ok := errors.AsType[*server.InUseError](err); ok {
		return nil, fmt.Errorf("%w; stop it, or use another %s", err, f.Option("data-dir"))
	}
	if err != nil {
		return nil, err
	}
	if password := s.AdminPassword(); password != "" {
		fmt.Fprintf(stdout, "admin password: %s (user %s; not shown again)\n", password, host.AdminLogin)
	}
	fmt.Fprintf(stdout, "slipway host is at %s\n", s.URL())
	return s, nil
}

// closeHost closes a host and prints why that takes a while.
func closeHost(s *server.Server, stdout io.Writer) error {
	notice := time.AfterFunc(server.DefaultDrainTimeout/10, func() {
		fmt.Fprintf(stdout, "stopping: waiting up to %s for requests in progress; press Ctrl-C again to stop now\n", server.DefaultDrainTimeout)
	})
	defer notice.Stop()
	err := s.Close()
	if s.HasCut() {
		fmt.Fprintf(stdout, "aborted requests that were still in progress after %s\n", server.DefaultDrainTimeout)
	}
	return err
}
