// Package serve starts a host for a verb that needs one, and says what users read then: its address, the
// password of the administrator, and why it cannot start.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/process"
)

// IsLoopback reports whether an address to listen on can be reached only from this machine.
func IsLoopback(listen string) bool {
	name, _, err := net.SplitHostPort(listen)
	return err == nil && (name == "localhost" || net.ParseIP(name).IsLoopback())
}

// Open starts a host and prints its URL and, if asked for, a sign-in link, which makes whoever
// reads it an administrator.
func Open(ctx context.Context, f verbs.Face, o server.Options, link bool, stdout, stderr io.Writer) (*server.Server, error) {
	if o.Logger == nil {
		o.Logger = NewLogger(stderr, func(slog.Record) {})
	}
	o.Environ, o.Commit = os.Environ(), verbs.ReadVersion().Commit
	if o.DataDir == "" {
		o.DataDir = filepath.Join(".slipway", "data")
	}
	if err := process.Protect(); err != nil { // backends run as the same user
		return nil, err
	}
	s, err := server.Open(ctx, o)
	if err != nil {
		return nil, Explain(f, o, err)
	}
	if password := s.AdminPassword(); password != "" {
		fmt.Fprintf(stdout, "admin password: %s (user %s; not shown again)\n", password, host.AdminLogin)
	} else if o.AdminPassword == "" {
		fmt.Fprintf(stdout, "admin password: as shown by the first start (user %s); to set a new one, use %s or %s\n", host.AdminLogin,
			f.Option("admin-password-file"), verbs.EnvAdminPassword)
	}
	fmt.Fprintf(stdout, "slipway host is at %s\n", s.URL())
	if link {
		PrintSignIn(s, stdout)
	}
	return s, nil
}

// PrintSignIn prints a sign-in link, unless browsers on this machine cannot follow it.
func PrintSignIn(s *server.Server, stdout io.Writer) {
	if HasLoopbackURL(s) {
		fmt.Fprintf(stdout, "sign in: %s (once, within 5 minutes)\n", s.SignInURL())
	}
}

// Explain adds the option that caused an error of a host.
func Explain(f verbs.Face, o server.Options, err error) error {
	if listen, ok := errors.AsType[*server.ListenError](err); ok {
		err := fmt.Errorf("%s=%s: %w", f.Option("listen"), o.Listen, listen.Err)
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w\nhelp: another program, perhaps another host, listens there; stop it, or choose a free port with "+
				"%s=127.0.0.1:0", err, f.Option("listen"))
		}
		if address, ok := errors.AsType[*net.AddrError](listen.Err); ok {
			err = verbs.Usage("%s=%s: %s; write a host and a port, such as 127.0.0.1:3000", f.Option("listen"), o.Listen, address.Err)
		}
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return verbs.Usage("%s and %s must be used together", f.Option("tls-cert"), f.Option("tls-key"))
	}
	if _, ok := errors.AsType[*server.InUseError](err); ok {
		return fmt.Errorf("%w; stop it, or give host or dev another %s", err, f.Option("data-dir"))
	}
	return err
}

// HasLoopbackURL reports whether browsers here reach the host over loopback, as a sign-in link requires.
func HasLoopbackURL(s *server.Server) bool {
	u, err := url.Parse(s.URL())
	return err == nil && IsLoopback(u.Host)
}

// Close closes a host and prints why that takes a while.
func Close(s *server.Server, stdout io.Writer) error {
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
