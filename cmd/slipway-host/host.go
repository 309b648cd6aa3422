package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/loader/watch"
)

func hostVerb() verbs.Verb {
	o := &verbs.HostOptions{}
	v := verbs.HostVerb(o)
	v.Run = func(ctx context.Context, c verbs.Call) error { return serve(ctx, c, *o) }
	return v
}

// serve runs a host until ctx is done.
func serve(ctx context.Context, c verbs.Call, o verbs.HostOptions) error {
	f := c.Face
	if o.PluginDirs == nil && f == verbs.Mage {
		o.PluginDirs = []string{"."}
	}
	if !slices.Contains(watch.Modes(), o.Watch) {
		return usageError("%s: %w", f.Option("watch"), nearest.Unknown("mode", o.Watch, watch.Modes()))
	}
	var trusted []archive.PublicKey
	if o.TrustedKeys != "" {
		var err error
		if trusted, err = verbs.ReadPublicKeys(f.Option("trusted-keys"), o.TrustedKeys); err != nil {
			return err
		}
	}
	served, err := serverOptions(c, o.ServeOptions)
	if err != nil {
		return err
	}
	served.PluginDirs, served.Watch, served.TrustedKeys = o.PluginDirs, watch.Mode(o.Watch), trusted
	served.Debug.Launch, served.Provisioning = o.Debug, o.Provisioning
	if err := prepareDebugging(ctx, f, &served.Debug, ".", c.Stdout); err != nil {
		return err
	}
	hangup, isInteractive := hangups(), hasTerminal()
	s, err := openHost(ctx, f, served, term.IsTerminal(int(c.Stdout.Fd())), c.Stdout, c.Stderr)
	if err != nil {
		return err
	}
	if len(o.PluginDirs) == 0 {
		fmt.Fprintf(c.Stdout, "note: no plugin directories were given; add them with %s\n", f.Option("plugins-dir"))
	}
	return errors.Join(runHost(ctx, s, c.Stderr, hangup, isInteractive), closeHost(s, c.Stdout))
}

// serverOptions returns the options of a server, with the secrets that come from files and the
// environment. It removes those from the environment, so that no process inherits them.
func serverOptions(c verbs.Call, o verbs.ServeOptions) (server.Options, error) {
	s := server.Options{
		Listen: o.Listen, DataDir: o.DataDir, Database: o.Database, TLSCert: o.TLSCert, TLSKey: o.TLSKey, AllowedHosts: o.AllowedHosts,
		ServiceVersion: o.ServiceVersion, Toggles: o.Toggles, Debug: loader.Debugging{Wait: o.DebugWait, Attach: o.Attach},
	}
	return s, readSecrets(c.Face, &s, o.AdminPasswordFile)
}

// runHost scans the plugin directories on each hangup. It returns when ctx is done, the host
// fails, or its terminal is closed.
func runHost(ctx context.Context, s *server.Server, stderr io.Writer, hangup <-chan os.Signal, isInteractive bool) error {
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

// readSecrets sets the options that come from the file of the password, unless it is "", and the
// environment. It removes the secrets from the environment, so that no process inherits them.
func readSecrets(f verbs.Face, o *server.Options, file string) error {
	known := []string{verbs.EnvAdminPassword, verbs.EnvDatabase, verbs.EnvSecretKey}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if near := nearest.Name(name, known); near != "" && near != name && strings.HasPrefix(name, "SLIPWAY_") {
			return usageError("unknown environment variable %s; did you mean %s?", name, near)
		}
	}
	password, database, key := takeEnv(verbs.EnvAdminPassword), takeEnv(verbs.EnvDatabase), takeEnv(verbs.EnvSecretKey)
	o.Database = cmp.Or(o.Database, database)
	o.AdminPassword = password
	if key != "" {
		var err error
		if o.Key, err = host.ParseKey(key); err != nil {
			return fmt.Errorf("%s: %w", verbs.EnvSecretKey, err)
		}
	}
	from := verbs.EnvAdminPassword
	if file != "" {
		from = f.Option("admin-password-file") + "=" + file
		text, err := readPassword(file)
		if err != nil {
			return usageError("%s: %w", f.Option("admin-password-file"), err)
		}
		o.AdminPassword = text
	}
	if o.AdminPassword == "" {
		return nil
	}
	if err := host.CheckPassword(o.AdminPassword); err != nil {
		return usageError("admin %w (from %s)", err, from)
	}
	return nil
}

func usageError(format string, args ...any) error {
	return &verbs.ExitError{Code: verbs.ExitUsage, Err: fmt.Errorf(format, args...)}
}

// takeEnv returns an environment variable and unsets it.
func takeEnv(name string) string {
	value := os.Getenv(name)
	_ = os.Unsetenv(name) // fails only for invalid names
	return value
}

// readPassword returns the password in a file, without the line break at its end.
func readPassword(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, host.MaxPasswordLength+3)) // "\r\n", and one more byte to detect longer passwords
	if err != nil {
		return "", err
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if password == "" {
		return "", fmt.Errorf("%s is empty", name)
	}
	return password, nil
}

// isLoopback reports whether an address to listen on can be reached only from this machine.
func isLoopback(listen string) bool {
	name, _, err := net.SplitHostPort(listen)
	return err == nil && (name == "localhost" || net.ParseIP(name).IsLoopback())
}

// openHost starts a host and prints its URL and, if asked for, a sign-in link: who can read a log must not
// become the administrator by it.
func openHost(ctx context.Context, f verbs.Face, o server.Options, link bool, stdout, stderr io.Writer) (*server.Server, error) {
	o.Logger, o.Environ, o.Commit = slog.New(newLinesHandler(stderr)), os.Environ(), verbs.ReadVersion().Commit
	if o.DataDir == "" {
		o.DataDir = filepath.Join(".slipway", "data")
	}
	if err := process.Protect(); err != nil { // backends run as the same user
		return nil, err
	}
	gate.LimitMemory()
	s, err := server.Open(ctx, o)
	if err != nil {
		return nil, hostError(f, o, err)
	}
	if password := s.AdminPassword(); password != "" {
		fmt.Fprintf(stdout, "admin password: %s (user %s; not shown again)\n", password, host.AdminLogin)
	} else if o.AdminPassword == "" {
		fmt.Fprintf(stdout, "admin password: as shown by the first start (user %s); to set a new one, use %s or %s\n", host.AdminLogin,
			f.Option("admin-password-file"), verbs.EnvAdminPassword)
	}
	fmt.Fprintf(stdout, "slipway host is at %s\n", s.URL())
	if link {
		if err := printSignIn(s, stdout); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// printSignIn prints a sign-in link, unless browsers on this machine cannot follow it.
func printSignIn(s *server.Server, stdout io.Writer) error {
	if !hasLoopbackURL(s) {
		return nil
	}
	link, err := s.SignInURL()
	if err == nil {
		fmt.Fprintf(stdout, "sign in: %s (once, within 5 minutes)\n", link)
	}
	return err
}

// hostError adds the option that caused an error of a host.
func hostError(f verbs.Face, o server.Options, err error) error {
	if listen, ok := errors.AsType[*server.ListenError](err); ok {
		err := fmt.Errorf("%s=%s: %w", f.Option("listen"), o.Listen, listen.Err)
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w\nhelp: another program, perhaps another host, listens there; stop it, or choose a free port with "+
				"%s=127.0.0.1:0", err, f.Option("listen"))
		}
		if address, ok := errors.AsType[*net.AddrError](listen.Err); ok {
			err = usageError("%s=%s: %s; write a host and a port, such as 127.0.0.1:3000", f.Option("listen"), o.Listen, address.Err)
		}
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return usageError("%s and %s must be used together", f.Option("tls-cert"), f.Option("tls-key"))
	}
	if _, ok := errors.AsType[*server.InUseError](err); ok {
		return fmt.Errorf("%w; stop it, or give host or dev another %s", err, f.Option("data-dir"))
	}
	return err
}

// hasLoopbackURL reports whether browsers on this machine reach the host over loopback,
// as a sign-in link requires.
func hasLoopbackURL(s *server.Server) bool {
	u, err := url.Parse(s.URL())
	return err == nil && isLoopback(u.Host)
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
