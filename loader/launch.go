package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/wire"
)

// launch is everything that the start of a process needs.
type launch struct {
	plugin  bundle.Plugin
	options Options
	runDir  string // where private directories are made
	source  string // the executable in the plugin directory
	sum     string // its SHA-256
	version string // identifies what would run: a different one is a reason to restart
	token   TokenDecision
	output  Output
}

// prepare finds and reads the executable of a plugin.
func prepare(p mounted, o Options, runDir string) (*launch, error) {
	source, err := Executable(p.Plugin)
	if err != nil {
		return nil, permanentError{err}
	}
	sum, err := copyTo(io.Discard, source)
	if err != nil {
		return nil, fmt.Errorf("read executable: %w", err)
	}
	if err := p.verified.check(source, sum); err != nil {
		return nil, permanentError{err}
	}
	permissions := "none"
	if p.Metadata.IAM != nil {
		permissions = fmt.Sprint(p.Metadata.IAM.Permissions)
	}
	return &launch{
		plugin: p.Plugin, options: o, runDir: runDir, source: source, sum: sum,
		version: strings.Join([]string{sum, p.Metadata.Info.Version, permissions}, "\n"),
		token:   decideToken(p.Metadata, o),
		output:  Output{Stdout: io.Discard, Stderr: io.Discard},
	}, nil
}

// start starts a process and completes the handshake. The error quotes what the
// process printed.
func (l *launch) start(ctx context.Context) (*Process, error) {
	var token string
	if l.token.Injected {
		var err error
		if token, err = l.options.Token(ctx, l.plugin); err != nil {
			return nil, fmt.Errorf("issue service account token: %w", err)
		}
	}
	// The process runs a copy of the executable in a private directory: what runs is
	// what was checked, and the plugin directory can be replaced in the meantime, even
	// on Windows.
	dir, err := os.MkdirTemp(l.runDir, "")
	if err != nil {
		return nil, fmt.Errorf("copy executable: %w", err)
	}
	executable := filepath.Join(dir, filepath.Base(l.source))
	if err := copyExecutable(l.source, executable, l.sum); err != nil {
		return nil, errors.Join(fmt.Errorf("copy executable: %w", err), os.RemoveAll(dir))
	}
	logger := l.options.Logger.With("plugin", l.plugin.Metadata.ID)
	stderr := &logWriter{logger: logger}
	c := newCommand(executable, dir, environment(l.options, l.plugin.Metadata, token), l.output.Stdout)
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		VersionedPlugins: map[int]goplugin.PluginSet{wire.AppProtocol: wire.HostSet()},
		RunnerFunc: func(_ hclog.Logger, protocol *exec.Cmd, _ string) (runner.Runner, error) {
			c.cmd.Env = append(c.cmd.Env, protocol.Env...)
			return c, nil
		},
		StartTimeout:     l.options.StartTimeout,
		Stderr:           io.MultiWriter(stderr, l.output.Stderr),
		SyncStdout:       io.MultiWriter(&logWriter{logger: logger}, l.output.Stdout), // once the plugin serves
		SyncStderr:       io.MultiWriter(&logWriter{logger: logger}, l.output.Stderr),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		AutoMTLS:         true,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	ctx, cancel := context.WithTimeout(ctx, l.options.StartTimeout)
	defer cancel()
	conn, err := connect(ctx, client, c)
	if err != nil {
		endClient(client, c)
		_ = os.RemoveAll(dir) // Close removes what is left
		return nil, startError(ctx, err, c, stderr)
	}
	return &Process{
		client: backend.New(conn), plugin: client, command: c, version: l.version, dir: dir, idle: make(chan struct{}),
	}, nil
}

// connect completes the handshake and pings the process. When ctx ends it kills the
// process, which unblocks both.
func connect(ctx context.Context, client *goplugin.Client, c *command) (grpc.ClientConnInterface, error) {
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
	if err := g.Ping(); err != nil {
		return nil, fmt.Errorf("the plugin does not respond: %w", err)
	}
	return g.Conn, nil
}

// startError replaces go-plugin's error by one for the author of the plugin.
func startError(ctx context.Context, err error, c *command, stderr *logWriter) error {
	text := err.Error()
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fmt.Errorf("start backend: %w", context.Canceled)
	case c.startErr != nil:
		text = c.startErr.Error()
		if errors.Is(c.startErr, fs.ErrPermission) {
			text += "; if the directory for temporary files is mounted noexec, set TMPDIR to another"
		}
		return permanentError{fmt.Errorf("start backend: cannot execute: %s", text)}
	case ctx.Err() != nil, strings.Contains(text, "timeout while waiting"):
		text = "no handshake within the start timeout; does main call sdk.Serve?"
	case strings.Contains(text, "Unrecognized remote plugin message:"):
		_, line, _ := strings.Cut(text, "message:")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
		text = "it exited or closed standard output before the handshake"
		if line != "" && !strings.HasPrefix(line, "Failed to read") {
			text = fmt.Sprintf("it printed %q to standard output before the handshake; a backend must not print there", shorten(line))
		}
	}
	if c.hasExited() {
		text += " (" + c.result() + ")"
	}
	if tail := stderr.tail(); tail != "" {
		text += "; last output: " + tail
	}
	return fmt.Errorf("start backend: %s", text)
}

// permanentError is an error that persists until the plugin changes.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

func isRetriable(err error) bool {
	_, isPermanent := errors.AsType[permanentError](err)
	return err != nil && !isPermanent
}
