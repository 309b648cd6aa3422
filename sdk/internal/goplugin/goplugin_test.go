package goplugin

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	library "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

// TestMain lets the test executable double as a plugin.
func TestMain(m *testing.M) {
	if os.Getenv("IS_CHILD") != "" {
		time.Sleep(time.Minute)
		return
	}
	if !IsHosted() {
		os.Exit(m.Run())
	}
	err := Serve(func(options ...grpc.ServerOption) *grpc.Server {
		called := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			child := exec.Command(os.Args[0]) // outlives the plugin
			child.Env = append(os.Environ(), "IS_CHILD=1")
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			if err := child.Start(); err != nil {
				return nil, err
			}
			fmt.Print("child ")
			fmt.Println(child.Process.Pid)
			fmt.Print("an incomplete line")
			return next(ctx, req)
		}
		return grpc.NewServer(append(options, grpc.UnaryInterceptor(called))...)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "; stopped")
}

// A client of the library starts, calls and stops the plugin, even if a program that the plugin
// started outlives it and still has its output open.
func TestServe(t *testing.T) {
	t.Parallel()
	for _, isSecure := range []bool{true, false} {
		var stderr bytes.Buffer
		cmd := exec.Command(os.Args[0])
		dir := t.TempDir()
		cmd.Env = append(os.Environ(), "PLUGIN_UNIX_SOCKET_DIR="+dir)
		client := library.NewClient(&library.ClientConfig{
			HandshakeConfig:  library.HandshakeConfig{MagicCookieKey: handshake.CookieKey, MagicCookieValue: handshake.CookieValue},
			VersionedPlugins: map[int]library.PluginSet{handshake.AppProtocol: {}},
			AllowedProtocols: []library.Protocol{library.ProtocolGRPC},
			Cmd:              cmd, AutoMTLS: isSecure, Stderr: &stderr, Logger: hclog.NewNullLogger(),
		})
		defer client.Kill()
		protocol := testkit.Must(client.Client())(t)
		if runtime.GOOS != "windows" {
			testkit.OK(t, cmd.Process.Signal(os.Interrupt))
		}
		if err := protocol.Ping(); err != nil {
			t.Error(err)
		}
		if isSecure {
			refusesStrangers(t, client.ReattachConfig().Addr)
		}
		client.Kill()
		if code := cmd.ProcessState.ExitCode(); code != 0 {
			t.Errorf("the exit status is %d, want 0", code)
		}
		var pid int
		if _, err := fmt.Sscanf(stderr.String(), "child %d\nan incomplete line; stopped\n", &pid); err != nil {
			t.Fatalf("standard error is %q: %v", stderr.String(), err)
		}
		if child, err := os.FindProcess(pid); err != nil || child.Kill() != nil {
			t.Error("the host waited for a program that the plugin started")
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("the plugin left %v, %v", left, err)
		}
	}
}

// refusesStrangers checks that a plugin rejects the calls of clients other than its host.
func refusesStrangers(t *testing.T, address net.Addr) {
	t.Helper()
	stranger := testkit.Must(wire.NewCertificate())(t)
	for name, transport := range map[string]credentials.TransportCredentials{
		"without TLS":              insecure.NewCredentials(),
		"without a certificate":    credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}),
		"with another certificate": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{stranger}}),
	} {
		connection, err := grpc.NewClient("passthrough:///"+address.String(), grpc.WithTransportCredentials(transport),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, address.Network(), address.String())
			}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = grpc_health_v1.NewHealthClient(connection).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: wire.HealthService})
		if status.Code(err) != codes.Unavailable {
			t.Errorf("a client %s: %v, want no connection", name, err)
		}
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
	}
}

// If a host asks for something that the plugin cannot do, Serve fails at once rather than later.
func TestServeFails(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		handshake.CertificateKey + "=x":    "PLUGIN_CLIENT_CERT does not contain a certificate in PEM",
		"PLUGIN_UNIX_SOCKET_GROUP=staff":   "which is not supported",
		"PLUGIN_UNIX_SOCKET_DIR=/dev/null": "not a directory",
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(variable, "PLUGIN_UNIX") {
			continue
		}
		var stdout, stderr strings.Builder
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), handshake.CookieKey+"="+handshake.CookieValue, variable)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err == nil || stdout.String() != "" || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %v; standard output is %q, standard error is %q, want %q", variable, err, stdout.String(), stderr.String(), want)
		}
	}
}

func TestListenTCP(t *testing.T) {
	t.Parallel()
	first := testkit.Must(listenTCP("", ""))(t)
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	taken := strconv.Itoa(port)
	for _, c := range []struct{ first, last, want string }{
		{taken, taken, ""},
		{"2", "1", "PLUGIN_MIN_PORT=2 is greater than PLUGIN_MAX_PORT=1"},
		{"x", "1", `parsing "x": invalid syntax`},
		{"1", "70000", "value out of range"},
	} {
		if _, err := listenTCP(c.first, c.last); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ports %s to %s: %v, want %q", c.first, c.last, err, c.want)
		}
	}
	next := testkit.Must(listenTCP(taken, "65535"))(t)
	defer next.Close()
	if next.Addr().(*net.TCPAddr).Port <= port {
		t.Errorf("listens at %s, want a port above %d", next.Addr(), port)
	}
}
