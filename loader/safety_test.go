//go:build linux

package loader

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// Many plugins start at the same time. Each start forks while the executables of others are
// copied. None may fail, not even for a while.
func TestParallelStarts(t *testing.T) {
	root := t.TempDir()
	for n := range 30 {
		writePlugin(t, root, fmt.Sprintf("p%03d", n), "ok", "")
	}
	var log lines
	l := start(t, Options{Dirs: []string{root}, Logger: log.logger(), StartTimeout: 10 * time.Minute, ReadyTimeout: 10 * time.Minute, Probes: Probes{Interval: -1}})
	for _, p := range l.Plugins() {
		if s := p.Status(); !isRunning(s) {
			t.Errorf("%s: %+v", p.ID(), s)
		}
	}
	if n := log.count("plugin not started") + log.count("text file busy"); n > 0 {
		t.Errorf("%d starts failed", n)
	}
	testkit.OK(t, l.Close())
}

// Only the host can talk to a backend: its directory is closed to other users, and the
// socket accepts no client without the certificate of this start.
func TestForeignProcessCannotTalkToABackend(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	if info, err := os.Stat(l.runDir.path); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	if info, err := os.Stat(p.current.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	var sockets []string
	err := filepath.WalkDir(p.current.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSocket != 0 {
			sockets = append(sockets, path)
		}
		return err
	})
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets %q, %v", sockets, err)
	}
	if os.Getuid() == 0 {
		if err := asUser(65534, func() error {
			c, err := net.Dial("unix", sockets[0])
			if err == nil {
				_ = c.Close()
			}
			return err
		}); !errors.Is(err, syscall.EACCES) {
			t.Errorf("another user: %v", err)
		}
	} else {
		t.Log("not tried as another user: this needs root")
	}
	another, _, err := newCertificate()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]credentials.TransportCredentials{
		"without TLS":                           insecure.NewCredentials(),
		"without a certificate":                 credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}),
		"with the certificate of another start": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, Certificates: another.Certificates}),
	} {
		conn := testkit.Must(grpc.NewClient("unix:"+sockets[0], grpc.WithTransportCredentials(c)))(t)
		if _, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "plugin"}); err == nil {
			t.Errorf("a client %s got a response", name)
		}
		_ = conn.Close()
	}
	if !p.current.responds(time.Minute) {
		t.Error("the host gets no response")
	}
}
