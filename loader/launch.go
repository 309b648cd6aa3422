package loader

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
	"github.com/slipway-dev/slipway/sdk/backend"
)

type launch struct {
	plugin    bundle.Plugin
	options   Options
	source    string // the executable in the plugin directory
	dir       string // private directory with a copy of it; "" for an attached backend
	version   string // identifies what would run, together with the contents of the executable
	isRunning bool   // the process that was compared runs the same; the launch cannot be started
	token     TokenDecision
	settings  Settings
	output    Output
	records   *records
}

// prepare finds the executable of a plugin and copies it, unless old is a process that runs
// the same. The caller must call start or discard.
func prepare(p bundle.Plugin, o Options, runDir *runDir, old *Process) (*launch, error) {
	if id := p.Metadata.ID; o.Debug.attaches(id) {
		version := "attached\n" + p.Dir
		return &launch{plugin: p, options: o, version: version, isRunning: old != nil && old.version == version,
			settings: o.Settings(id), token: TokenDecision{Reason: "the backend is attached"}}, nil
	}
	source, err := Executable(p)
	if err != nil {
		return nil, permanentError{err}
	}
	permissions := "none"
	if p.Metadata.IAM != nil {
		permissions = fmt.Sprint(p.Metadata.IAM.Permissions)
	}
	l := &launch{
		plugin: p, options: o, source: source, version: p.Metadata.Info.Version + "\n" + permissions,
		token: decideToken(p.Metadata, o), settings: o.Settings(p.Metadata.ID),
	}
	if old != nil && old.version == l.version {
		if l.isRunning, err = isEqual(source, filepath.Join(old.dir, filepath.Base(source))); err != nil {
			return nil, newFault(bundle.FaultExecutableUnread, "read executable: %v", err)
		}
	}
	if !l.isRunning {
		if err = l.stage(runDir); err != nil {
			return nil, newFault(bundle.FaultCopy, "copy executable: %v", err)
		}
	}
	return l, nil
}

// stage copies the executable to a private directory: what runs is what was checked, and the plugin
// directory can be replaced in the meantime, even on Windows.
func (l *launch) stage(runDir *runDir) (err error) {
	if l.dir, err = runDir.make(); err != nil {
		return err
	}
	if err = copyExecutable(l.source, l.executable()); err != nil {
		l.discard()
	}
	return err
}

// executable returns the path of the copy.
func (l *launch) executable() string { return filepath.Join(l.dir, filepath.Base(l.source)) }

// discard removes the copy of the executable, which is not needed.
func (l *launch) discard() {
	if l.dir != "" {
		_ = process.RemoveAll(l.dir) // Close removes what is left
	}
}

// start starts a process and completes the handshake. The error quotes what it printed.
func (l *launch) start(ctx context.Context) (_ *Process, err error) {
	if l.options.Debug.attaches(l.plugin.Metadata.ID) {
		return l.attach()
	}
	defer func() {
		if err != nil {
			l.discard()
		}
	}()
	token := ""
	if l.token.Injected {
		if token, err = l.options.Token(ctx, l.plugin); err != nil {
			return nil, tokenFault(err)
		}
	}
	tlsConfig, certificate, err := newCertificate()
	if err != nil {
		return nil, newFault(bundle.FaultCopy, "prepare the start: %v", err)
	}
	c, err := l.command(token, certificate)
	if err != nil {
		return nil, newFault(bundle.FaultCopy, "prepare the start: %v", err)
	}
	stderr := &logWriter{records: l.records}
	client := goplugin.NewClient(l.clientConfig(c, tlsConfig, stderr))
	ctx, cancel := context.WithTimeout(ctx, l.options.StartTimeout)
	defer cancel()
	connection, err := connect(ctx, client, c)
	if err != nil {
		endClient(client, c)
		if !c.isStarted() {
			return nil, newFault(bundle.FaultCopy, "prepare the start: %v", err)
		}
		return nil, startError(ctx, err, c, stderr, l.options.StartTimeout)
	}
	if l.options.Debug.launches(l.plugin.Metadata.ID) {
		// Delve stays when the backend ends. A backend at a breakpoint keeps its connections.
		go func() {
			connection.WaitForStateChange(context.Background(), connectivity.Ready)
			_ = c.Kill(context.Background())
		}()
	}
	p := l.newProcess(c, connection)
	p.plugin, p.stderr = client, stderr
	return p, nil
}

func (l *launch) command(token, certificate string) (*command, error) {
	dir := l.dir
	if l.settings.InPluginDir {
		dir = l.plugin.Dir
	}
	env := append(environment(l.options, l.plugin.Metadata, l.settings, token), handshake.CertificateKey+"="+certificate)
	c := newCommand(l.executable(), dir, env, cmp.Or(l.output.Stdout, io.Discard))
	if id := l.plugin.Metadata.ID; l.options.Debug.launches(id) {
		return c, l.options.Debug.wrap(c, id, l.dir)
	}
	return c, nil
}

func (l *launch) clientConfig(c *command, tlsConfig *tls.Config, stderr *logWriter) *goplugin.ClientConfig {
	also := func(log *logWriter, w io.Writer) io.Writer { return io.MultiWriter(log, cmp.Or(w, io.Discard)) }
	return &goplugin.ClientConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: handshake.CookieKey, MagicCookieValue: handshake.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{handshake.AppProtocol: {}}, // calls are made on the connection
		RunnerFunc: func(_ hclog.Logger, protocol *exec.Cmd, _ string) (runner.Runner, error) {
			c.cmd.Env = append(c.cmd.Env, protocol.Env...)
			return c, nil
		},
		StartTimeout:     l.options.StartTimeout,
		Stderr:           also(stderr, l.output.Stderr),
		SyncStdout:       also(&logWriter{records: l.records}, l.output.Stdout), // once the plugin serves
		SyncStderr:       also(&logWriter{records: l.records}, l.output.Stderr),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		TLSConfig:        tlsConfig,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: l.dir},
		GRPCDialOptions:  l.dialOptions(),
	}
}

func (l *launch) dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		// A stream whose client does not read receives no more than its window. gRPC widens
		// that of a call for a message that it is receiving.
		grpc.WithStaticStreamWindowSize(64 << 10), grpc.WithStaticConnWindowSize(1 << 20),
		grpc.WithIdleTimeout(0), // an idle connection would count as lost
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(l.options.Limits.Message), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
	}
}

func (l *launch) newProcess(c *command, connection grpc.ClientConnInterface) *Process {
	serving, endStreams := context.WithCancel(context.Background())
	return &Process{
		conn: connection, client: backend.New(connection), command: c, stderr: &logWriter{records: l.records}, dir: l.dir,
		version: l.version, settings: l.settings, token: l.token,
		idle: make(chan struct{}), serving: serving, endStreams: endStreams,
	}
}

// connect completes the handshake and pings the process, which it kills when ctx ends.
func connect(ctx context.Context, client *goplugin.Client, c *command) (*grpc.ClientConn, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.Kill(context.Background()) })
	defer stop()
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	g, ok := protocol.(*goplugin.GRPCClient)
	if !ok {
		return nil, errors.New("the plugin does not use gRPC")
	}
	if err := ping(ctx, g.Conn); err != nil {
		return nil, fmt.Errorf("the plugin does not respond: %w", err)
	}
	if !stop() {
		return nil, ctx.Err() // the process is being killed
	}
	return g.Conn, nil
}

// tokenFault returns the error of a TokenFunc as a fault, which is permanent if the error is.
func tokenFault(err error) error {
	f := newFault(bundle.FaultToken, "issue service account token: %v", err)
	if isRetriable(err) {
		return f
	}
	return permanentError{f}
}

// Permanent returns an error for a TokenFunc to return if another attempt cannot succeed
// until the plugin changes, such as for an invalid permission.
func Permanent(err error) error { return permanentError{err} }

// permanentError is an error that persists until the plugin changes.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func isRetriable(err error) bool {
	_, isPermanent := errors.AsType[permanentError](err)
	return err != nil && !isPermanent
}

// newCertificate makes a certificate of the host for one process. It returns a configuration, to which
// go-plugin adds the certificate of the process, and the certificate in PEM.
func newCertificate() (*tls.Config, string, error) {
	certificate, err := wire.NewCertificate()
	if err != nil {
		return nil, "", err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		MinVersion:   tls.VersionTLS12,
		ServerName:   wire.ServerName,
		RootCAs:      x509.NewCertPool(), // nil would trust the authorities of the system
	}
	return config, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})), nil
}
