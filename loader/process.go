package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/internal/wire"
)

// killAfter is how long a process may take to stop when it is asked to.
const killAfter = 2 * time.Second

// process is one run of a backend: from the handshake to its end.
type process struct {
	client *backend.Client
	plugin *goplugin.Client
	run    *run
	pid    int
	print  string // see spec
	home   string // private folder

	mu      sync.Mutex
	holders int
	closing bool
	idle    chan struct{} // closed when closing and nobody holds it
}

// launch starts a process and shakes hands. The error says what the process
// printed, when it printed something.
func launch(ctx context.Context, s *spec) (*process, error) {
	env, err := s.environment(ctx)
	if err != nil {
		return nil, err
	}
	home, program, err := s.copyProgram()
	if err != nil {
		return nil, err
	}
	logger := s.options.Logger.With("plugin", s.plugin.Metadata.ID)
	stderr := newLogs(logger)
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = home, env
	r := newRun(cmd)
	r.rest = s.output.Stdout
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		VersionedPlugins: map[int]goplugin.PluginSet{wire.AppProtocol: wire.HostSet()},
		RunnerFunc: func(_ hclog.Logger, c *exec.Cmd, _ string) (runner.Runner, error) {
			cmd.Env = append(cmd.Env, c.Env...) // the protocol's own variables
			return r, nil
		},
		StartTimeout:     s.options.StartTimeout,
		Stderr:           tee(stderr, s.output.Stderr),
		SyncStdout:       tee(newLogs(logger), s.output.Stdout), // what handlers print once the plugin serves
		SyncStderr:       tee(newLogs(logger), s.output.Stderr),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		AutoMTLS:         true,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: home},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	ctx, cancel := context.WithTimeout(ctx, s.options.StartTimeout)
	defer cancel()
	conn, err := connect(ctx, client, r)
	if err != nil {
		endClient(client, r)
		_ = os.RemoveAll(home) // Close removes what is left
		return nil, startError(ctx, err, r, stderr)
	}
	return &process{
		client: backend.New(conn), plugin: client, run: r,
		pid: cmd.Process.Pid, print: s.print, home: home, idle: make(chan struct{}),
	}, nil
}

// connect shakes hands and calls the process once. It gives up when ctx ends,
// which kills the process and with it whatever is waited for.
func connect(ctx context.Context, client *goplugin.Client, r *run) (grpc.ClientConnInterface, error) {
	stop := context.AfterFunc(ctx, func() { _ = r.Kill(context.Background()) })
	defer stop()
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	g, ok := protocol.(*goplugin.GRPCClient)
	if !ok {
		return nil, errors.New("the plugin does not speak gRPC")
	}
	if err := g.Ping(); err != nil {
		return nil, fmt.Errorf("it does not answer: %w", err)
	}
	return g.Conn, nil
}

// endClient asks a process to stop, insists after killAfter, and waits for its
// end. go-plugin alone would wait for the answer of a process that gives none.
func endClient(client *goplugin.Client, r *run) {
	insist := time.AfterFunc(killAfter, func() { _ = r.Kill(context.Background()) })
	defer insist.Stop()
	client.Kill()
	<-r.exited
}

// startError puts go-plugin's error in the words of somebody who has to mend the
// plugin.
func startError(ctx context.Context, err error, r *run, stderr *logs) error {
	text := err.Error()
	switch {
	case errors.Is(context.Cause(ctx), context.Canceled):
		return fmt.Errorf("start backend: %w", context.Canceled)
	case r.startErr != nil:
		text = "cannot be executed: " + r.startErr.Error()
		if errors.Is(r.startErr, fs.ErrPermission) {
			text += "; if the folder for temporary files is mounted noexec, set TMPDIR to another"
		}
		return permanentError{fmt.Errorf("start backend: %s", text)}
	case ctx.Err() != nil, strings.Contains(text, "timeout while waiting"):
		text = "no handshake and answer within the start timeout: is its main calling sdk.Serve?"
	case strings.Contains(text, "Unrecognized remote plugin message:"):
		_, line, _ := strings.Cut(text, "message:")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
		text = "it ended, or closed standard output, before the handshake"
		if line != "" && !strings.HasPrefix(line, "Failed to read") {
			text = fmt.Sprintf("it printed %q to standard output before the handshake: a backend must print nothing there", shorten(line))
		}
	}
	if r.hasExited() {
		text += " (" + r.result() + ")"
	}
	if tail := stderr.tail(); tail != "" {
		text += "; its last words: " + tail
	}
	return fmt.Errorf("start backend: %s", text)
}

// hold keeps the process from being stopped; false when it is on its way out.
func (p *process) hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing || p.run.hasExited() {
		return false
	}
	p.holders++
	return true
}

func (p *process) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holders--
	if p.closing && p.holders == 0 {
		close(p.idle)
	}
}

// shut lets no new request in.
func (p *process) shut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return
	}
	p.closing = true
	if p.holders == 0 {
		close(p.idle)
	}
}

// retire lets no new request in, waits for the running ones, at most for the time
// given, ends the process and removes its private folder.
func (p *process) retire(drain time.Duration) {
	p.shut()
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-p.idle:
	case <-p.run.exited:
	case <-timer.C:
	}
	endClient(p.plugin, p.run)
	_ = os.RemoveAll(p.home) // Close removes what is left
}

func (p *process) isRunning() bool { return !p.run.hasExited() }

func (p *process) epitaph() string { return "the process ended by itself (" + p.run.result() + ")" }
