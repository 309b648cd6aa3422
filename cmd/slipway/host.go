package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// hostOptions are the options of the verb host.
type hostOptions struct {
	Listen         string
	DataDir        string
	PluginsDirs    []string
	Database       string
	AdminPassword  string
	ServiceVersion string
	Toggles        []string
}

const (
	envAdminPassword = "SLIPWAY_ADMIN_PASSWORD"
	envDatabase      = "SLIPWAY_DATABASE" // keeps a password out of the list of processes
	// defaultServiceVersion is the first that gives plugins service accounts.
	defaultServiceVersion = "10.3.0"
	drainTimeout          = 10 * time.Second
	headerTimeout         = 10 * time.Second
	idleTimeout           = 2 * time.Minute
)

func (o *hostOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:3000", "address to listen on; port 0 takes a free one")
	f.StringVar(&o.DataDir, "data-dir", "", "folder of the database and of what this host keeps (default: .slipway/data)")
	f.StringVar(&o.Database, "database", "", "SQLite file (default: slipway.db in the data folder), or postgres://user:password@server/name; also from "+envDatabase)
	f.StringVar(&o.AdminPassword, "admin-password", "", "password of the user admin; also from "+envAdminPassword+" (generated and printed once)")
	f.StringVar(&o.ServiceVersion, "service-version", defaultServiceVersion, "version of the service that plugins are told")
	f.StringSliceVar(&o.Toggles, "feature-toggles", o.Toggles, "enabled feature toggles, such as "+loader.ToggleServiceAccounts)
}

func hostCommand(stdout, stderr io.Writer) *cobra.Command {
	var o hostOptions
	c := &cobra.Command{
		Use:   "host",
		Short: "Run the reference host on folders of plugins",
		Long: "Run the reference host on folders of plugins. It prints its URL when it accepts requests\n" +
			"and stops on SIGINT or SIGTERM, after the requests that are running.\n\n" +
			"Secrets of data sources are encrypted with the key in " + envSecretKey + ", 64 hexadecimal digits,\n" +
			"or else with one that the first start makes in the data folder. Hosts that share a\n" +
			"PostgreSQL need the same key.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := startServer(c.Context(), o, stdout, stderr)
			if err != nil {
				return err
			}
			select {
			case <-c.Context().Done():
			case err = <-s.failed:
			}
			return errors.Join(err, s.close())
		},
	}
	o.flags(c)
	c.Flags().StringArrayVar(&o.PluginsDirs, "plugins-dir", nil, "folder of plugins; may be repeated, the first wins where ids clash")
	return c
}

// server is a running host: the listener, the API, the store and the plugins.
type server struct {
	url      string
	stdout   io.Writer
	log      *slog.Logger
	loader   *loader.Loader
	store    *store.Store
	api      *api.API
	accounts *accounts
	unlock   func() error // gives up the data of the host
	http     *http.Server
	failed   chan error
	mounted  sync.WaitGroup
	cancel   context.CancelFunc // ends mounting
	cut      context.CancelFunc // ends running requests
	drain    time.Duration      // how long those may take when the host stops
}

// startServer starts all parts of a host. It prints the URL as soon as requests
// are accepted; plugins start meanwhile, and requests to them wait.
func startServer(ctx context.Context, o hostOptions, stdout, stderr io.Writer) (_ *server, err error) {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if o.DataDir == "" {
		o.DataDir = filepath.Join(".slipway", "data")
	}
	o.Database = cmp.Or(o.Database, os.Getenv(envDatabase))
	if o.Database == "" {
		o.Database = filepath.Join(o.DataDir, "slipway.db")
	}
	if o.AdminPassword == "" {
		o.AdminPassword = os.Getenv(envAdminPassword)
	}
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		for _, f := range slices.Backward(undo) {
			err = errors.Join(err, f())
		}
	}()

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return nil, &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf("--listen=%s: %w", o.Listen, err)}
	}
	undo = append(undo, listener.Close)
	s := &server{url: "http://" + reachable(listener.Addr()), stdout: stdout, log: logger, failed: make(chan error, 1), drain: drainTimeout}
	if s.unlock, err = lockData(o); err != nil {
		return nil, err
	}
	undo = append(undo, s.unlock)
	instance, err := instanceName(o.DataDir)
	if err != nil {
		return nil, err
	}
	key, err := secretKey(o.DataDir)
	if err != nil {
		return nil, err
	}
	if s.store, err = store.Open(ctx, store.Options{Database: o.Database, Logger: logger, Key: key}); err != nil {
		return nil, err
	}
	undo = append(undo, s.store.Close)
	s.accounts = newAccounts(s.store, instance)
	s.loader, err = loader.New(loader.Options{
		Dirs: o.PluginsDirs, HostVersion: o.ServiceVersion, Toggles: o.Toggles, AppURL: s.url,
		Environ: os.Environ(), Token: s.accounts.token, Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	undo = append(undo, s.loader.Close)
	if s.api, err = api.New(api.Options{Store: s.store, Logger: logger, Version: o.ServiceVersion, Plugins: s.loader}); err != nil {
		return nil, err
	}
	undo = append(undo, s.api.Close)
	generated, err := s.store.EnsureAdmin(ctx, o.AdminPassword)
	if err != nil {
		return nil, err
	}
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	s.cut = cut
	s.http = &http.Server{
		Handler: s.api, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		ErrorLog:    slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return requests },
	}
	go func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	if generated != "" {
		fmt.Fprintf(stdout, "admin password: %s (user %s; shown only now)\n", generated, host.AdminLogin)
	}
	fmt.Fprintf(stdout, "slipway host is at %s\n", s.url)

	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.mounted.Go(func() {
		if err := s.mount(background); err != nil && background.Err() == nil {
			logger.Error("plugins not mounted", "error", err)
		}
	})
	return s, nil
}

// lockData refuses a second host on one data folder or one SQLite file: each would
// take the plugins' tokens of the other away.
func lockData(o hostOptions) (unlock func() error, err error) {
	names := []string{filepath.Join(o.DataDir, "instance")}
	if !store.IsShared(o.Database) {
		names = append(names, o.Database)
	}
	var locks []*flock.Flock
	unlock = func() (err error) {
		for _, lock := range locks {
			err = errors.Join(err, lock.Close())
		}
		return err
	}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, errors.Join(fmt.Errorf("make the data folder: %w", err), unlock())
		}
		lock := flock.New(name+".lock", flock.SetPermissions(0o600))
		free, err := lock.TryLock()
		if err == nil && !free {
			err = fmt.Errorf("another host runs on %s: stop it, or give this one its own --data-dir", name)
		}
		if err != nil {
			return nil, errors.Join(err, unlock())
		}
		locks = append(locks, lock)
	}
	return unlock, nil
}

// reachable is the address under which this machine reaches a listener.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// mount brings the plugins, their dashboards and their service accounts in line with
// the folders.
func (s *server) mount(ctx context.Context) error {
	if err := s.loader.Reload(ctx); err != nil {
		return err
	}
	if err := importDashboards(ctx, s.store, s.log, s.loader.Plugins()); err != nil {
		return err
	}
	return s.accounts.removeUnused(ctx, s.loader.Plugins())
}

// close lets running requests end, then stops the plugins, then the store.
// Requests that do not end, such as streams, are cut.
func (s *server) close() error {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	notice := time.AfterFunc(s.drain/10, func() {
		fmt.Fprintf(s.stdout, "stopping: running requests may take up to %s; Ctrl-C again stops at once\n", s.drain)
	})
	err := s.http.Shutdown(ctx)
	notice.Stop()
	s.cut()
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(s.stdout, "requests that still ran after %s were cut\n", s.drain)
		err = s.http.Close()
	}
	err = errors.Join(err, s.api.Close(), s.loader.Close())
	s.mounted.Wait()
	return errors.Join(err, s.store.Close(), s.unlock())
}
