package main

import (
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
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/bundle"
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
	// defaultServiceVersion is the first that gives plugins service accounts.
	defaultServiceVersion = "10.3.0"
	drainTimeout          = 10 * time.Second
	headerTimeout         = 10 * time.Second
	idleTimeout           = 2 * time.Minute
)

func (o *hostOptions) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:3000", "address to listen on; port 0 takes a free one")
	f.StringVar(&o.DataDir, "data-dir", "", "folder of the database (default: .slipway/data)")
	f.StringVar(&o.Database, "database", "", "SQLite file (default: slipway.db in the data folder)")
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
			"and stops on SIGINT or SIGTERM, after the requests that are running.",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := startServer(c.Context(), o, stdout, stderr)
			if err != nil {
				return err
			}
			select {
			case <-c.Context().Done():
				return s.close()
			case err := <-s.failed:
				return errors.Join(err, s.close())
			}
		},
	}
	o.flags(c)
	c.Flags().StringArrayVar(&o.PluginsDirs, "plugins-dir", nil, "folder of plugins; may be repeated, the first wins where ids clash")
	return c
}

// server is a running host: the listener, the API, the store and the plugins.
type server struct {
	url     string
	loader  *loader.Loader
	store   *store.Store
	http    *http.Server
	failed  chan error
	mounted sync.WaitGroup
	cancel  context.CancelFunc
}

// startServer starts all parts of a host. It prints the URL as soon as requests
// are accepted; plugins start meanwhile, and requests to them wait.
func startServer(ctx context.Context, o hostOptions, stdout, stderr io.Writer) (_ *server, err error) {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if o.DataDir == "" {
		o.DataDir = filepath.Join(".slipway", "data")
	}
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
	s := &server{url: "http://" + reachable(listener.Addr()), failed: make(chan error, 1)}
	if s.store, err = store.Open(ctx, store.Options{Path: o.Database, Logger: logger}); err != nil {
		return nil, err
	}
	undo = append(undo, s.store.Close)
	generated, err := s.store.EnsureAdmin(ctx, o.AdminPassword)
	if err != nil {
		return nil, err
	}
	s.loader, err = loader.New(loader.Options{
		Dirs: o.PluginsDirs, HostVersion: o.ServiceVersion, Toggles: o.Toggles, AppURL: s.url,
		Environ: os.Environ(), Token: issuer(s.store), Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	undo = append(undo, s.loader.Close)
	handler, err := api.New(api.Options{Store: s.store, Logger: logger, Version: o.ServiceVersion, Plugins: s.loader})
	if err != nil {
		return nil, err
	}
	s.http = &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn)}
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

// reachable is the address under which this machine reaches a listener.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return addr.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// mount brings the plugins in line with their folders, and removes the service
// accounts of those that no longer ask for one.
func (s *server) mount(ctx context.Context) error {
	if err := s.loader.Reload(ctx); err != nil {
		return err
	}
	for _, p := range s.loader.Plugins() {
		if p.Bundle().Metadata.IAM != nil {
			continue
		}
		if err := s.store.RemovePluginAccount(ctx, store.MainOrg, p.ID()); err != nil {
			return err
		}
	}
	return nil
}

// close lets running requests end, then stops the plugins, then the store.
func (s *server) close() error {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were cut after %s: %w", drainTimeout, err), s.http.Close())
	}
	err = errors.Join(err, s.loader.Close())
	s.mounted.Wait()
	return errors.Join(err, s.store.Close())
}

// issuer gives each plugin one token for the life of this host, and a new one
// when the permissions it asks for change. A process that replaces another gets
// the same token, so that requests in the old one go on.
func issuer(st *store.Store) loader.TokenFunc {
	type issued struct{ permissions, token string }
	var mu sync.Mutex
	known := map[string]issued{}
	return func(ctx context.Context, p bundle.Plugin) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		var grants []host.Grant
		var asked strings.Builder
		for _, perm := range p.Metadata.IAM.Permissions {
			grants = append(grants, host.Grant{Action: perm.Action, Scope: perm.Scope})
			fmt.Fprintf(&asked, "%q %q\n", perm.Action, perm.Scope)
		}
		if k, ok := known[p.Metadata.ID]; ok && k.permissions == asked.String() {
			return k.token, nil
		}
		access, err := st.ReconcilePluginAccount(ctx, store.MainOrg, p.Metadata.ID, hostInstance, grants)
		if err != nil {
			return "", err
		}
		known[p.Metadata.ID] = issued{asked.String(), access.Token.Secret()}
		return access.Token.Secret(), nil
	}
}

// hostInstance names the tokens of this host. One SQLite file has one host.
const hostInstance = "slipway-host"
