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

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/server"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/loader/watch"
)

// Environment variables, which keep secrets out of the process list.
const (
	envAdminPassword = "SLIPWAY_ADMIN_PASSWORD"
	envDatabase      = "SLIPWAY_DATABASE"
	envSecretKey     = "SLIPWAY_SECRET_KEY" // shared by hosts that share a database
)

// passwordFlags are the flags that set a password; the environment can set it too.
type passwordFlags struct {
	file string
	text string // visible in the process list
}

// hostFlags defines the flags that host and dev have in common.
func hostFlags(c *cobra.Command, o *server.Options, p *passwordFlags) {
	f := c.Flags()
	f.StringVar(&o.Listen, "listen", "127.0.0.1:3000", "address to listen on; port 0 picks a free port")
	f.StringVar(&o.DataDir, "data-dir", "", "directory of the database and the keys of this host (default: .slipway/data)")
	f.StringVar(&o.Database, "database", "", "SQLite file (default: slipway.db in the data directory) or postgres://user:password@server/name; also from "+envDatabase)
	f.StringVar(&p.file, "admin-password-file", "", fmt.Sprintf("file with the password of the user admin, at least %d characters; %s can hold the password itself (default: generated and printed once)", host.MinPasswordLength, envAdminPassword))
	f.StringVar(&p.text, "admin-password", "", "password of the user admin (deprecated: other users can read it in the process list); only for hosts that listen on loopback")
	f.StringVar(&o.TLSCert, "tls-cert", "", "PEM file with the TLS certificate and its chain; reloaded when it changes")
	f.StringVar(&o.TLSKey, "tls-key", "", "PEM file with the key of the TLS certificate")
	f.StringSliceVar(&o.AllowedHosts, "allowed-hosts", nil, "host names that clients may use besides loopback, the address to listen on, and the names in the certificate; * allows any")
	f.StringVar(&o.ServiceVersion, "service-version", server.DefaultServiceVersion, "service version reported to plugins")
	f.StringSliceVar(&o.Toggles, "feature-toggles", o.Toggles, "enabled feature toggles, such as "+loader.ToggleServiceAccounts)
}

func hostCommand(stdout, stderr io.Writer) *cobra.Command {
	var o server.Options
	var password passwordFlags
	var trustedKeys string
	mode := string(watch.Auto)
	c := &cobra.Command{
		Use:   "host",
		Short: "Run the reference host on directories of plugins",
		Long: "Run the reference host on directories of plugins. It prints its URL once it accepts requests.\n" +
			"On SIGINT or SIGTERM it waits for requests in progress and stops. On SIGHUP it scans the\n" +
			"directories again; when its terminal is closed, it stops.\n\n" +
			"Changes in the directories are applied while the host runs: a new executable takes over once\n" +
			"it has completed the handshake, and other changes apply without a restart. A broken change\n" +
			"does not replace a working plugin. On network file systems, use --watch=poll.\n\n" +
			"Secrets of data sources and apps are encrypted with the key in " + envSecretKey + ", 64\n" +
			"hexadecimal digits. Without it, the first start generates a key in the data directory. Hosts\n" +
			"that share a PostgreSQL database need the same key.\n\n" +
			"Without --tls-cert and --tls-key it serves HTTP, which is safe only on loopback. A request for\n" +
			"a host name that is not allowed gets status 421.\n\n" +
			"A plugin whose files differ from its MANIFEST.json is not mounted. With --trusted-keys, a\n" +
			"plugin without a signature by one of these keys is not mounted either.",
		Example: "  slipway host --plugins-dir=plugins\n" +
			"  slipway host --plugins-dir=/srv/plugins --listen=:3000 --tls-cert=cert.pem --tls-key=key.pem",
		Args: arguments(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if trustedKeys != "" {
				var err error
				if o.TrustedKeys, err = verbs.ReadPublicKeys(face(c).Option("trusted-keys"), trustedKeys); err != nil {
					return err
				}
			}
			if o.Watch = watch.Mode(mode); !slices.Contains(watch.Modes(), mode) {
				return usageError("%s: %w", face(c).Option("watch"), nearest.Unknown("mode", mode, watch.Modes()))
			}
			if err := readSecrets(face(c), &o, password, stderr); err != nil {
				return err
			}
			if err := prepareDebugging(c.Context(), face(c), &o.Debug, ".", stdout); err != nil {
				return err
			}
			hangup, isInteractive := hangups(), hasTerminal()
			s, err := openHost(c.Context(), face(c), o, stdout, stderr)
			if err != nil {
				return err
			}
			if len(o.PluginDirs) == 0 {
				fmt.Fprintf(stdout, "note: no plugin directories were given; add them with %s\n", face(c).Option("plugins-dir"))
			}
			return errors.Join(runHost(c.Context(), s, stderr, hangup, isInteractive), closeHost(s, stdout))
		},
	}
	hostFlags(c, &o, &password)
	c.Flags().StringArrayVar(&o.PluginDirs, "plugins-dir", nil, "directory of plugins; may be repeated; if two contain the same plugin id, the first wins")
	c.Flags().StringVar(&mode, "watch", mode, "how to watch the directories of plugins: auto, poll or off")
	debugFlags(c.Flags(), &o.Debug)
	c.Flags().StringSliceVar(&o.Debug.Launch, "debug", nil, "ids of plugins whose backends run under Delve")
	c.Flags().StringVar(&o.Provisioning, "provisioning", "", "directory with datasources/*.yaml, dashboards/*.yaml and plugins/*.yaml; applied at startup and when they change; they can refer to any file that the host can read")
	c.Flags().StringVar(&trustedKeys, "trusted-keys", "", "file with ed25519 public keys (PEM, or OpenSSH and minisign, one per line), one of which must have signed each plugin")
	return c
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

// readSecrets sets the options that come from the password flags and the environment. It
// removes the secrets from the environment, so that no process inherits them.
func readSecrets(f verbs.Face, o *server.Options, p passwordFlags, stderr io.Writer) error {
	password, database, key := takeEnv(envAdminPassword), takeEnv(envDatabase), takeEnv(envSecretKey)
	o.Database = cmp.Or(o.Database, database)
	o.AdminPassword = password
	if key != "" {
		var err error
		if o.Key, err = host.ParseKey(key); err != nil {
			return fmt.Errorf("%s: %w", envSecretKey, err)
		}
	}
	option := f.Option("admin-password")
	switch {
	case p.text != "" && p.file != "":
		return usageError("%s and %s cannot be used together", option, f.Option("admin-password-file"))
	case p.file != "":
		text, err := readPassword(p.file)
		if err != nil {
			return usageError("%s: %w", f.Option("admin-password-file"), err)
		}
		o.AdminPassword = text
	case p.text != "" && !isLoopback(o.Listen):
		return usageError("%s is allowed only if the host listens on loopback, because other users can read it in the process list; use %s or %s",
			option, f.Option("admin-password-file"), envAdminPassword)
	case p.text != "":
		fmt.Fprintf(stderr, "warning: other users can read %s in the process list; use %s or %s\n", option, f.Option("admin-password-file"), envAdminPassword)
		o.AdminPassword = p.text
	}
	if o.AdminPassword == "" {
		return nil
	}
	if err := host.CheckPassword(o.AdminPassword); err != nil {
		return usageError("admin %w", err)
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

// openHost starts a host and prints its URL and a sign-in link.
func openHost(ctx context.Context, f verbs.Face, o server.Options, stdout, stderr io.Writer) (*server.Server, error) {
	o.Logger, o.Environ, o.Commit = slog.New(newLinesHandler(stderr)), os.Environ(), readVersion().Commit
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
		fmt.Fprintf(stdout, "admin password: as shown by the first start (user %s); to set a new one, use %s or %s\n", host.AdminLogin, f.Option("admin-password-file"), envAdminPassword)
	}
	fmt.Fprintf(stdout, "slipway host is at %s\n", s.URL())
	if hasLoopbackURL(s) {
		link, err := s.SignInURL()
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		fmt.Fprintf(stdout, "sign in: %s (once, within 5 minutes)\n", link)
	}
	return s, nil
}

// hostError adds the option that caused an error of a host.
func hostError(f verbs.Face, o server.Options, err error) error {
	if listen, ok := errors.AsType[*server.ListenError](err); ok {
		err := fmt.Errorf("%s=%s: %w", f.Option("listen"), o.Listen, listen.Err)
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w\nhelp: another program, perhaps another host, listens there; stop it, or choose a free port with %s=127.0.0.1:0", err, f.Option("listen"))
		}
		return &verbs.ExitError{Code: verbs.ExitUsage, Err: err}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return usageError("%s and %s must be used together", f.Option("tls-cert"), f.Option("tls-key"))
	}
	if _, ok := errors.AsType[*server.InUseError](err); ok {
		return fmt.Errorf("%w; stop it, or use another %s", err, f.Option("data-dir"))
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
