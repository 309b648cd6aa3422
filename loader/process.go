package loader

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

// process is one run of a backend: from the handshake to its end.
type process struct {
	client *sdk.Client
	plugin *goplugin.Client
	run    *run
	exited <-chan struct{}
	pid    int
	print  string

	mu      sync.Mutex
	holders int
	closing bool
	idle    chan struct{} // closed when closing and nobody holds it
}

// launch starts a process and shakes hands. The error says what the process
// printed, when it printed something.
func launch(ctx context.Context, s *spec) (*process, error) {
	if err := s.credentials(ctx); err != nil {
		return nil, err
	}
	logs := newLogs(s.options.Logger.With("plugin", s.plugin.Metadata.ID))
	cmd := exec.Command(s.program)
	cmd.Dir, cmd.Env = s.dir, s.env
	r := newRun(cmd)
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake(),
		VersionedPlugins: map[int]goplugin.PluginSet{wire.AppProtocol: wire.HostSet()},
		RunnerFunc: func(_ hclog.Logger, c *exec.Cmd, _ string) (runner.Runner, error) {
			cmd.Env = append(cmd.Env, c.Env...) // the protocol's own variables
			return r, nil
		},
		StartTimeout:     s.options.StartTimeout,
		Stderr:           logs,
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		AutoMTLS:         true,
		SkipHostEnv:      true,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: s.sockets},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
		},
	})
	conn, err := connect(ctx, client, r)
	if err != nil {
		client.Kill()
		return nil, startError(err, r, logs)
	}
	return &process{
		client: sdk.NewClient(conn), plugin: client, run: r, exited: r.exited,
		pid: cmd.Process.Pid, print: s.print, idle: make(chan struct{}),
	}, nil
}

// connect shakes hands; it gives up at once when ctx ends.
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
		return nil, fmt.Errorf("ping: %w", err)
	}
	return g.Conn, nil
}

// startError puts go-plugin's error in the words of somebody who has to mend the
// plugin.
func startError(err error, r *run, logs *logs) error {
	text := err.Error()
	switch {
	case r.startErr != nil:
		text = "cannot be executed: " + r.startErr.Error()
	case strings.Contains(text, "Unrecognized remote plugin message:"):
		_, line, _ := strings.Cut(text, "message:")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
		text = "it ended, or closed standard output, before the handshake"
		if line != "" && !strings.HasPrefix(line, "This usually means") && !strings.HasPrefix(line, "Failed to read") {
			text = fmt.Sprintf("it printed %q to standard output before the handshake: a backend must print nothing there", shorten(line))
		}
	case strings.Contains(text, "timeout while waiting"):
		text = "no handshake within the start timeout: is its main calling sdk.Serve?"
	}
	if r.hasExited() && r.startErr == nil {
		text += " (" + r.result() + ")"
	}
	if tail := logs.tail(); tail != "" {
		text += "; its last words: " + tail
	}
	return fmt.Errorf("start backend: %s", text)
}

// hold keeps the process from being stopped; false when it is on its way out.
func (p *process) hold() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
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

// drain lets no new request in and waits for the running ones, at most for the
// time given.
func (p *process) drain(timeout time.Duration) {
	p.mu.Lock()
	if !p.closing {
		p.closing = true
		if p.holders == 0 {
			close(p.idle)
		}
	}
	p.mu.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.idle:
	case <-p.exited:
	case <-timer.C:
	}
}

// kill asks the process to stop, insists after two seconds, and waits for its
// end.
func (p *process) kill() {
	p.mu.Lock()
	if !p.closing {
		p.closing = true
		if p.holders == 0 {
			close(p.idle)
		}
	}
	p.mu.Unlock()
	p.plugin.Kill()
	<-p.exited
}

func (p *process) isRunning() bool { return !p.run.hasExited() }

func (p *process) epitaph() string { return "the process ended by itself (" + p.run.result() + ")" }
