package loader

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/internal/limit"
)

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

// attach connects to a backend in standalone mode. The Process remains while the backend
// is restarted or not running: each new connection reads the files again, and until then
// calls fail.
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
			Backoff: grpcbackoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, MaxDelay: 500 * time.Millisecond}}),
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

// isAlive reports whether a process with the id exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
