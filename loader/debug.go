package loader

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc/backoff"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/internal/limit"
)

// Debugging selects the plugins whose backends are debugged. Such a process, and
// calls to it, have no timeouts, since it may be stopped at a breakpoint.
type Debugging struct {
	Launch []string // ids of plugins whose backends run under Delve, or AllPlugins
	Delve  string   // path of the Delve executable; required for Launch
	Wait   bool     // a process under Delve does not run until a client continues it
	// Listening is called, perhaps concurrently, before each start, with the loopback address of Delve.
	Listening func(pluginID, address string)

	// Attach lists the ids of plugins whose backends are started elsewhere, in standalone mode, and write
	// their address to standalone.txt in the plugin directory, and their process id to pid.txt.
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

// wrap makes a command run its executable under Delve.
func (d Debugging) wrap(c *command, id, dir string) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address := free.Addr().String()
	_ = free.Close()
	args := []string{"dlv", "exec", "--headless", "--listen=" + address, "--api-version=2", "--accept-multiclient",
		"--log-dest=" + filepath.Join(dir, "delve.log")} // standard output is that of the backend
	if !d.Wait {
		args = append(args, "--continue")
	}
	c.cmd.Args, c.cmd.Path, c.interrupts = append(args, c.cmd.Path), d.Delve, true
	if d.Listening != nil {
		d.Listening(id, address)
	}
	return nil
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
		return "", fmt.Errorf("find attached backend: %s contains %q: %w", addressFile, quote(text), err)
	}
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	} else if name != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("find attached backend: %s contains %q: the address must be on loopback", addressFile, quote(text))
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

// attach connects to a backend in standalone mode. The Process remains while the backend restarts or
// does not run: each new connection reads the files again, and until then calls fail.
func (l *launch) attach() (*Process, error) {
	dir := l.plugin.Dir
	connection, err := grpc.NewClient("passthrough:///standalone", append(l.dialOptions(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			address, err := standalone(dir)
			if err != nil {
				return nil, err
			}
			return (&net.Dialer{}).DialContext(ctx, "tcp", address)
		}),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: time.Second,
			Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, MaxDelay: 500 * time.Millisecond}}),
	)...)
	if err != nil {
		return nil, fmt.Errorf("attach: %w", err)
	}
	connection.Connect()
	p := l.newProcess(newCommand("", "", nil, nil), connection)
	p.pid = func() int { return standalonePID(dir) }
	p.detach = sync.OnceFunc(func() {
		_ = connection.Close() // fails only if it is closed
		_ = p.command.failed(errors.New("detached"))
	})
	return p, nil
}

func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
