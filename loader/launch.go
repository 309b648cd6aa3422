package loader

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/wire"
)

// launch is everything that the start of a process needs.
type launch struct {
	plugin    bundle.Plugin
	options   Options
	runDir    *runDir // where private directories are made
	source    string  // the executable in the plugin directory
	sum       string  // its SHA-256, if a manifest lists it
	dir       string  // private directory with a copy of it, or "" before stage
	version   string  // identifies what would run, together with the contents of the executable
	isRunning bool    // the process that was compared runs the same
	token     TokenDecision
	settings  Settings
	output    Output
	records   *records
}

// The windows of HTTP/2 flow control in bytes, of one call and of the connection. gRPC
// widens that of a call for a message that it is receiving.
const (
	streamWindow = 64 << 10
	connWindow   = 1 << 20
)

// prepare finds the executable of a plugin. It copies the executable, unless old is a process
// that runs the same: if that changes, the process is replaced. The caller must call start or
// discard.
func prepare(p mounted, o Options, runDir *runDir, old *Process) (*launch, error) {
	if id := p.Metadata.ID; o.Debug.attaches(id) {
		version := "attached\n" + p.Dir
		return &launch{plugin: p.Plugin, options: o, version: version, isRunning: old != nil && old.version == version,
			settings: o.settings(id), token: TokenDecision{Reason: "the backend is attached"}}, nil
	}
	plugin, source, err := o.find(p.Plugin)
	if err != nil {
		return nil, permanentError{err}
	}
	permissions := "none"
	if p.Metadata.IAM != nil {
		permissions = fmt.Sprint(p.Metadata.IAM.Permissions)
	}
	l := &launch{
		plugin: plugin, options: o, runDir: runDir, source: source,
		version: strings.Join([]string{p.Metadata.Info.Version, permissions}, "\n"),
		token:   decideToken(p.Metadata, o), settings: o.settings(p.Metadata.ID),
		output: Output{Stdout: io.Discard, Stderr: io.Discard},
	}
	isListed := p.verified != nil
	l.isRunning = old != nil && old.version == l.version && isEqual(filepath.Join(old.dir, filepath.Base(source)), source)
	switch {
	case !l.isRunning:
		if err := l.stage(isListed); err != nil {
			return nil, newFault(bundle.FaultCopy, "copy executable: %v", err)
		}
	case isListed:
		if l.sum, err = sumOf(source); err != nil {
			return nil, newFault(bundle.FaultExecutableUnread, "read executable: %v", err)
		}
	}
	if err := p.verified.check(source, l.sum); err != nil {
		l.discard()
		return nil, permanentError{err}
	}
	return l, nil
}

// stage copies the executable to a private directory: what runs is what was checked, and the
// plugin directory can be replaced in the meantime, even on Windows. If the SHA-256 is known,
// the copy must match it. With wantsSum, stage records the SHA-256 of the copy.
func (l *launch) stage(wantsSum bool) error {
	dir, err := l.runDir.make()
	if err != nil {
		return err
	}
	var hash hash.Hash
	if wantsSum || l.sum != "" {
		hash = sha256.New()
	}
	err = copyExecutable(l.source, filepath.Join(dir, filepath.Base(l.source)), hash)
	if err == nil && hash != nil {
		sum := hex.EncodeToString(hash.Sum(nil))
		if l.sum != "" && l.sum != sum {
			err = changedError(l.source)
		}
		l.sum = sum
	}
	if err != nil {
		return errors.Join(err, process.RemoveAll(dir))
	}
	l.dir = dir
	return nil
}

// discard removes the copy of the executable, which is not needed.
func (l *launch) discard() {
	if l.dir != "" {
		_ = process.RemoveAll(l.dir) // Close removes what is left
		l.dir = ""
	}
}

// start starts a process and completes the handshake. The error quotes what the
// process printed.
func (l *launch) start(ctx context.Context) (*Process, error) {
	if l.isAttached() {
		return l.attach()
	}
	var token string
	if l.token.Injected {
		var err error
		if token, err = l.options.Token(ctx, l.plugin); err != nil {
			l.discard()
			return nil, tokenFault(err)
		}
	}
	if l.dir == "" {
		if err := l.stage(false); err != nil {
			return nil, newFault(bundle.FaultCopy, "copy executable: %v", err)
		}
	}
	dir, executable := l.dir, filepath.Join(l.dir, filepath.Base(l.source))
	stderr := &logWriter{records: l.records}
	env := environment(l.options, l.plugin.Metadata, l.settings, token)
	workDir := dir
	if l.settings.InPluginDir {
		workDir = l.plugin.Dir
	}
	tlsConfig, certificate, err := newCertificate()
	if err != nil {
		return nil, errors.Join(newFault(bundle.FaultCopy, "prepare the start: %v", err), process.RemoveAll(dir))
	}
	env = append(env, wire.CertificateKey+"="+certificate)
	c := newCommand(executable, workDir, env, l.output.Stdout)
	isDebugged := l.options.Debug.launches(l.plugin.Metadata.ID)
	if isDebugged {
		c.cmd.Path, c.interrupts = l.options.Debug.Delve, true
		c.cmd.Args = append([]string{"dlv"}, l.options.Debug.delve(executable, dir)...)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go l.options.Debug.announce(ctx, l.plugin.Metadata.ID, dir)
	}
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  goplugin.HandshakeConfig{MagicCookieKey: wire.CookieKey, MagicCookieValue: wire.CookieValue},
		VersionedPlugins: map[int]goplugin.PluginSet{wire.AppProtocol: {}}, // calls are made on the connection
		RunnerFunc: func(_ hclog.Logger, protocol *exec.Cmd, _ string) (runner.Runner, error) {
			c.cmd.Env = append(c.cmd.Env, protocol.Env...)
			return c, nil
		},
		StartTimeout:     l.options.StartTimeout,
		Stderr:           io.MultiWriter(stderr, l.output.Stderr),
		SyncStdout:       io.MultiWriter(&logWriter{records: l.records}, l.output.Stdout), // once the plugin serves
		SyncStderr:       io.MultiWriter(&logWriter{records: l.records}, l.output.Stderr),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		TLSConfig:        tlsConfig,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir},
		GRPCDialOptions: []grpc.DialOption{
			// A stream whose client does not read receives no more than its window.
			grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connWindow),
			grpc.WithIdleTimeout(0), // an idle connection would count as lost, see whenLost
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(l.options.Limits.Message), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	ctx, cancel := context.WithTimeout(ctx, l.options.StartTimeout)
	defer cancel()
	connection, err := connect(ctx, client, c)
	if err != nil {
		endClient(client, c)
		if !c.isStarted() {
			return nil, errors.Join(newFault(bundle.FaultCopy, "prepare the start: %v", err), process.RemoveAll(dir))
		}
		err = startError(ctx, err, c, stderr)
		_ = process.RemoveAll(dir) // Close removes what is left
		return nil, err
	}
	var address func() string
	if isDebugged { // Delve stays when the backend ends
		whenLost(connection, func() { _ = c.Kill(context.Background()) })
		address = func() string {
			address, _ := delveAddress(filepath.Join(dir, delveLog))
			return address
		}
	}
	serving, endStreams := context.WithCancel(context.Background())
	wrapped := &conn{ClientConnInterface: connection}
	return &Process{
		conn: wrapped, client: backend.New(wrapped), plugin: client, command: c,
		stderr: stderr, version: l.version, settings: l.settings, dir: dir, hasToken: l.token.Injected, idle: make(chan struct{}), address: address,
		serving: serving, endStreams: endStreams,
	}, nil
}

// connect completes the handshake and pings the process. When ctx ends it kills the
// process.
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

// startError replaces go-plugin's error with a fault for the author of the plugin.
func startError(ctx context.Context, err error, c *command, stderr *logWriter) error {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return fmt.Errorf("start backend: %w", context.Canceled)
	}
	if c.startErr != nil {
		err := fmt.Errorf("start backend: %w", execFault(c))
		if isShortage(c.startErr) || c.lacksDir() { // a build may have moved the directory
			return err
		}
		return permanentError{err}
	}
	f := handshakeFault(ctx, err.Error(), c, stderr.lines())
	f.Stderr = stderr.lines()
	return processError{fmt.Errorf("start backend: %w", f)}
}

// handshakeFault returns the fault for a process that was started but is not connected.
// text is go-plugin's error.
func handshakeFault(ctx context.Context, text string, c *command, stderr []string) *bundle.Fault {
	after := func(mark string) (rest string, ok bool) {
		_, rest, ok = strings.Cut(text, mark)
		rest, _, _ = strings.Cut(strings.TrimSpace(rest), "\n")
		return rest, ok
	}
	if c.endedAlone() {
		// The messages of go-plugin, and of the dynamic loaders of glibc, musl and macOS.
		switch {
		case containsAny(stderr, "This binary is a plugin."):
			return newFault(bundle.FaultCookie, "it is a plugin for another kind of host: it does not accept the magic cookie of this host")
		case containsAny(stderr, "error while loading shared libraries", "Error loading shared library", "Library not loaded"):
			return newFault(bundle.FaultLibrary, "cannot execute: a shared library is missing (%s)", c.result())
		}
	}
	if line, ok := after("Unrecognized remote plugin message:"); ok && line != "" && !strings.HasPrefix(line, "Failed to read") {
		return newFault(bundle.FaultOutput, "it printed %q to standard output before the handshake; a backend must not print there", shorten(line))
	}
	for _, mark := range []string{"incompatible API version with plugin.", "incompatible core API version with plugin."} {
		if versions, ok := after(mark); ok {
			return newFault(bundle.FaultProtocol, "it uses another version of the plugin protocol: %s", shorten(versions))
		}
	}
	if protocol, ok := after("unsupported plugin protocol"); ok {
		return newFault(bundle.FaultTransport, "it does not use gRPC, but %s", shorten(protocol))
	}
	switch {
	case c.endedAlone():
		return exitFault(c, stderr, true)
	case ctx.Err() != nil, strings.Contains(text, "timeout while waiting"):
		return newFault(bundle.FaultTimeout, "no handshake within the start timeout")
	case strings.Contains(text, "Unrecognized remote plugin message:"):
		return newFault(bundle.FaultExitedAtStart, "it exited or closed standard output before the handshake")
	}
	return newFault(bundle.FaultHandshake, "%s", shorten(text))
}

// execFault returns the fault for an executable that the system did not start.
func execFault(c *command) *bundle.Fault {
	err, file := c.startErr, filepath.Base(c.cmd.Path)
	_, statErr := os.Stat(c.cmd.Path)
	switch {
	case c.lacksDir():
		return newFault(bundle.FaultExec, "cannot execute: the working directory, %s, does not exist", c.cmd.Dir)
	case errors.Is(err, fs.ErrPermission):
		return newFault(bundle.FaultExecDenied, "cannot execute: %v", err)
	case errors.Is(err, syscall.ENOEXEC):
		return newFault(bundle.FaultExecFormat, "cannot execute: %s is not a program for this system", file)
	case errors.Is(err, fs.ErrNotExist) && statErr == nil:
		return newFault(bundle.FaultInterpreter, "cannot execute: the interpreter of %s was not found%s", file, interpreter(c.cmd.Path))
	}
	return newFault(bundle.FaultExec, "cannot execute: %v", err)
}

// interpreter returns ": " and the interpreter of a script or the dynamic loader of an ELF
// executable, or "" if the file names none.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, maxQuote)
	n, _ := io.ReadFull(f, head) // shorter files are common
	if line, ok := strings.CutPrefix(string(head[:n]), "#!"); ok {
		line, _, _ = strings.Cut(line, "\n")
		return ": " + strings.TrimSpace(line)
	}
	program, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			name, _ := io.ReadAll(io.LimitReader(p.Open(), maxQuote))
			return ": " + strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
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
