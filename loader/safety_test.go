//go:build linux

package loader

import (
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/archive"
)

// Many plugins start at the same time. Each start forks while the executables of others are
// copied. None may fail, not even for a while.
func TestParallelStarts(t *testing.T) {
	const variable = "SLIPWAY_TEST_STARTS"
	plugins := 200
	rounds, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		plugins, rounds = 30, 1
		t.Logf("%d plugins once; %s=50 starts 200 plugins 50 times", plugins, variable)
	}
	root := t.TempDir()
	for n := range plugins {
		writePlugin(t, root, fmt.Sprintf("p%03d", n), "ok", "")
	}
	for range rounds {
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
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// While one executable replaces another, either runs as a whole: what is executed is what
// was checked. The script writes a mark before it is complete, and another when it runs.
func TestTamperedExecutableNeverRuns(t *testing.T) {
	t.Parallel()
	tries := 500
	if testing.Short() {
		tries = 100
		t.Logf("%d tries instead of 500 because of -short", tries)
	}
	dir := t.TempDir()
	source, ran := filepath.Join(dir, bundle.Host().Executable("gpx_x")), filepath.Join(dir, "ran")
	good := []byte("#!/bin/sh\nexit 0\n" + strings.Repeat("# the code that was checked\n", 20_000))
	bad := []byte("#!/bin/sh\n: > " + ran + "\nexit 0\n" + strings.Repeat("# the code of someone else\n", 20_000))
	if err := os.WriteFile(source, good, 0o755); err != nil {
		t.Fatal(err)
	}
	sum, err := sumOf(source)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(source)
	checked := mounted{
		Plugin:   bundle.Plugin{Dir: dir, Metadata: &bundle.Metadata{ID: "a", Executable: "gpx_x"}},
		verified: &verified{dir: dir, manifest: &archive.Manifest{Files: []archive.File{{Path: name, SHA256: sum}}}},
	}
	runDir, err := newRunDir()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = runDir.close() }()
	copies, refused := 0, 0
	for try := range tries {
		if err := os.WriteFile(source, good, 0o755); err != nil {
			t.Fatal(err)
		}
		var tampering sync.WaitGroup
		tamper := func() {
			time.Sleep(rand.N(800 * time.Microsecond))
			if try%2 == 0 { // in place
				_ = os.WriteFile(source, bad, 0o755)
				return
			}
			next := source + ".next"
			_ = errors.Join(os.WriteFile(next, bad, 0o755), os.Rename(next, source))
		}
		if try%10 != 5 {
			tampering.Go(tamper)
		}
		if try%10 == 0 {
			tampering.Wait()
		}
		l, err := prepare(checked, Options{}.withDefaults(), runDir, nil)
		if err != nil {
			refused++
		} else {
			if try%10 == 5 {
				tampering.Go(tamper)
			}
			copies++
			if _, err := l.start(t.Context()); err == nil {
				t.Fatal("a script completed the handshake")
			}
		}
		tampering.Wait()
		if _, err := os.Stat(ran); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("try %d: the tampered executable ran (%v)", try, err)
		}
	}
	t.Logf("the original ran %d times and was refused %d times", copies, refused)
	if copies == 0 || refused == 0 {
		t.Error("the moments of the replacement do not cover both outcomes")
	}
}

// Only the host can talk to a backend: its directory is closed to other users, and the
// socket accepts no client without the certificate of this start.
func TestForeignProcessCannotTalkToABackend(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "a")
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
		conn, err := grpc.NewClient("unix:"+sockets[0], grpc.WithTransportCredentials(c))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := grpc_health_v1.NewHealthClient(conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "plugin"}); err == nil {
			t.Errorf("a client %s got a response", name)
		}
		_ = conn.Close()
	}
	if !p.current.responds(time.Minute) {
		t.Error("the host gets no response")
	}
}

// A backend receives only the environment variables of the host that are meant for it.
func TestCanaryInNoEnvironment(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, id := range []string{"a", "b", "c"} {
		writePlugin(t, root, id, "ok", "")
	}
	var environ []string
	for _, name := range []string{"X", "GF_PLUGIN_CANARY", "SVC_CANARY", "SLIPWAY_CANARY", "LD_PRELOAD", "LD_LIBRARY_PATH", "GODEBUG", "AWS_SECRET_ACCESS_KEY", "SVC_PLUGIN_APP_CLIENT_SECRET"} {
		environ = append(environ, name+"=canary")
	}
	l := start(t, Options{Dirs: []string{root}, Environ: environ})
	for _, p := range l.Plugins() {
		for name, value := range environmentOf(t, p) {
			if strings.Contains(value, "canary") {
				t.Errorf("%s has %s=%s", p.ID(), name, value)
			}
		}
	}
}
