package loader

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/rpc/jsonrpc"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/wire"
)

// Debugging selects the plugins whose backends are debugged. Such a process, and
// calls to it, have no timeouts, since it may be stopped at a breakpoint.
type Debugging struct {
	Launch []string // ids of plugins whose backends run under Delve, or AllPlugins
	Delve  string   // path of the Delve executable; required for Launch
	Wait   bool     // a process under Delve does not run until a client continues it
	// Listening is called when Delve accepts clients of a process, with a loopback
	// address. It may be called concurrently.
	Listening func(pluginID, address string)

	// Attach lists the ids of plugins whose backends are started elsewhere, in standalone mode: the
	// backend writes its address to standalone.txt in the plugin directory, and its process
	// id to pid.txt.
	Attach []string
}

// AllPlugins in Debugging.Launch stands for all plugins that Debugging.Attach does not list.
const AllPlugins = "*"

func (d Debugging) launches(id string) bool {
	return !d.attaches(id) && (slices.Contains(d.Launch, id) || slices.Contains(d.Launch, AllPlugins))
}

func (d Debugging) attaches(id string) bool { return slices.Contains(d.Attach, id) }

// delveStart is how long a backend under Delve may take to complete the handshake if nothing
// holds it. Delve stays when the backend ends, so only time shows that no handshake will come.
const delveStart = 2 * time.Minute

// forPlugin returns the options for a plugin, without timeouts if it is being debugged.
func (o Options) forPlugin(id string) Options {
	if o.isDebugged(id) {
		o.StartTimeout = max(o.StartTimeout, delveStart)
		if o.waits(id) || o.Debug.attaches(id) {
			o.StartTimeout = forever
		}
		o.Limits.Health, o.Limits.Query, o.Limits.Resource = forever, forever, forever
		o.Probes.Interval = -1 // none
	}
	return o
}

func (o Options) isDebugged(id string) bool { return o.Debug.launches(id) || o.Debug.attaches(id) }

// waits reports whether the start of a plugin waits for a client of Delve to continue it.
func (o Options) waits(id string) bool { return o.Debug.Wait && o.Debug.launches(id) }

// delveLog is the file, in the private directory of a process, that Delve writes its
// address to. Its standard output is that of the backend.
const delveLog = "delve.log"

// delve returns the arguments of Delve for an executable.
func (d Debugging) delve(executable, dir string) []string {
	args := []string{"exec", "--headless", "--listen=127.0.0.1:0", "--api-version=2", "--accept-multiclient",
		"--log-dest=" + filepath.Join(dir, delveLog)}
	if !d.Wait {
		args = append(args, "--continue")
	}
	return append(args, executable)
}

// announce calls Listening when Delve has written its address.
func (d Debugging) announce(ctx context.Context, id, dir string) {
	for ticker := time.Tick(20 * time.Millisecond); ; {
		if address, ok := delveAddress(filepath.Join(dir, delveLog)); ok {
			if d.Listening != nil {
				d.Listening(id, address)
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker:
		}
	}
}

func delveAddress(file string) (address string, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "API server listening at: "); ok {
			return address, true
		}
	}
	return "", false
}

// haltInterval is the time between two requests to Delve.
const haltInterval = 500 * time.Millisecond

// finish waits until a process that is being debugged has no calls in progress and is not stopped
// at a breakpoint. It returns early when the process has ended or ctx is done.
func (p *Process) finish(ctx context.Context) {
	select {
	case <-p.idle:
	case <-p.Exited():
	case <-ctx.Done():
	}
	if p.address == nil {
		return
	}
	for isHalted(p.address()) {
		select {
		case <-time.After(haltInterval):
		case <-p.Exited():
			return
		case <-ctx.Done():
			return
		}
	}
}

// isHalted reports whether Delve at an address holds its process. While Delve carries out a
// command of a client, it may not answer in time.
func isHalted(address string) bool {
	connection, err := net.DialTimeout("tcp", address, haltInterval)
	if err != nil {
		return false
	}
	_ = connection.SetDeadline(time.Now().Add(haltInterval)) // fails only if it is closed
	client := jsonrpc.NewClient(connection)
	defer client.Close()
	var out struct{ State struct{ Running bool } }
	err = client.Call("RPCServer.State", map[string]bool{"NonBlocking": true}, &out)
	return err == nil && !out.State.Running || errors.Is(err, os.ErrDeadlineExceeded)
}

// whenLost calls f when a connection is lost. A process that is stopped at a breakpoint
// keeps its connections.
func whenLost(c *grpc.ClientConn, f func()) {
	go func() {
		for state := c.GetState(); state == connectivity.Ready || state == connectivity.Connecting; state = c.GetState() {
			c.WaitForStateChange(context.Background(), state)
		}
		f()
	}()
}

// The files of the standalone mode, in the plugin directory.
const (
	addressFile = "standalone.txt"
	pidFile     = "pid.txt"
)

// standalone returns the address of a backend in standalone mode. The address must be on
// loopback: calls to it are not encrypted and contain secrets.
func standalone(dir string) (string, error) {
	text, err := readShort(filepath.Join(dir, addressFile))
	if err != nil {
		return "", fmt.Errorf("find attached backend: %w; start it in standalone mode", err)
	}
	name, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("find attached backend: %s contains %q: %w", addressFile, shorten(text), err)
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	} else if name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("find attached backend: %s contains %q: the address must be on loopback", addressFile, shorten(text))
	}
	if pid := standalonePID(dir); pid != 0 && !isAlive(pid) {
		return "", fmt.Errorf("find attached backend: process %d in %s has ended; start it again", pid, pidFile)
	}
	return net.JoinHostPort(name, port), nil
}

// standalonePID returns the process id of a backend in standalone mode, or 0.
func standalonePID(dir string) int {
	text, err := readShort(filepath.Join(dir, pidFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(text)
	if err != nil || pid < 1 {
		return 0
	}
	return pid
}

// maxShort is the size in bytes up to which readShort reads a file.
const maxShort = 1024

// readShort returns the text of a small regular file.
func readShort(file string) (string, error) {
	text, err := limit.ReadFile(file, maxShort)
	return strings.TrimSpace(string(text)), err
}

// attach connects to a backend in standalone mode. The Process remains while the backend
// is restarted or not running: each new connection reads the files again, and until then
// calls fail.
func (l *launch) attach() (*Process, error) {
	dir := l.plugin.Dir
	connection, err := grpc.NewClient("passthrough:///standalone",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			address, err := standalone(dir)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: time.Second,
			Backoff: grpcbackoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, MaxDelay: 500 * time.Millisecond}}),
		grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(l.options.Limits.Message), grpc.MaxCallSendMsgSize(wire.MaxMessage)),
	)
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	connection.Connect()
	c := newCommand("", "", nil, nil)
	serving, endStreams := context.WithCancel(context.Background())
	wrapped := &conn{ClientConnInterface: connection}
	return &Process{
		conn: wrapped, client: backend.New(wrapped), command: c, stderr: &logWriter{records: l.records},
		version: l.version, settings: l.settings, idle: make(chan struct{}), serving: serving, endStreams: endStreams, pid: func() int { return standalonePID(dir) },
		detach: sync.OnceFunc(func() {
			_ = connection.Close() // fails only if it is closed
			c.startErr = errors.New("detached")
			close(c.exited)
		}),
	}, nil
}

// isAttached reports whether the backend is started elsewhere.
func (l *launch) isAttached() bool { return l.options.Debug.attaches(l.plugin.Metadata.ID) }

// isAlive reports whether a process with the id exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
