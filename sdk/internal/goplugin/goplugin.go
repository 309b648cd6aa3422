// Package goplugin is the plugin's end of the protocol of github.com/hashicorp/go-plugin. It
// owns the socket, the handshake line, the certificates and the two services with which a
// host checks and stops a plugin. The library would add 36 packages to each backend, testing
// and debug/elf among them, to support what dashboard hosts do not use: net/rpc, the
// broker, multiplexing and forwarding of output over gRPC. The clients of go-plugin 1.4 to 1.8
// work without them.
package goplugin

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

// IsHosted reports whether a host started this process.
func IsHosted() bool { return os.Getenv(handshake.CookieKey) == handshake.CookieValue }

// Serve listens, writes the handshake line to standard output, and serves until the host
// stops the server. Meanwhile, what the process prints to [os.Stdout] and [os.Stderr] goes to
// standard error, which hosts log, and the process ignores interrupts: in a terminal, they
// are for the host.
func Serve(newServer func(...grpc.ServerOption) *grpc.Server) error {
	listener, err := listen()
	if err != nil {
		return err
	}
	defer listener.Close() // removes the socket
	options, certificate, err := transport(os.Getenv(handshake.CertificateKey))
	if err != nil {
		return err
	}
	server := newServer(options...)
	registerServices(server)

	stdout := os.Stdout
	restore, err := redirectOutput()
	if err != nil {
		return err
	}
	defer restore()
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	address := listener.Addr()
	if _, err := fmt.Fprintf(stdout, "1|%d|%s|%s|grpc|%s\n", handshake.AppProtocol, address.Network(), address, certificate); err != nil {
		return fmt.Errorf("write the handshake: %w", err)
	}
	return server.Serve(listener)
}

// redirectOutput sets os.Stdout and os.Stderr to a pipe whose lines it copies to standard
// error. Programs that the plugin starts may inherit the pipe, but must not inherit the real
// standard error: go-plugin's client does not notice that a plugin has exited until every
// process has closed it. The returned function restores both and waits briefly for the rest
// to be copied.
func redirectOutput() (restore func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		lines := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := lines.ReadSlice('\n')
			_, _ = stderr.Write(line) // whole lines, since the log has the same destination
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	}()
	return func() {
		os.Stdout, os.Stderr = stdout, stderr
		_ = w.Close()
		// A program that the plugin started may still have the pipe open.
		wait := time.Second
		if r.SetReadDeadline(time.Now().Add(100*time.Millisecond)) != nil { // on Windows, pipes have none
			wait = 100 * time.Millisecond
		}
		select {
		case <-copied:
		case <-time.After(wait):
		}
	}, nil
}

// listen listens on a socket or, on Windows, as go-plugin does, on a loopback port.
func listen() (net.Listener, error) {
	if runtime.GOOS == "windows" {
		return listenTCP(os.Getenv("PLUGIN_MIN_PORT"), os.Getenv("PLUGIN_MAX_PORT"))
	}
	if os.Getenv("PLUGIN_UNIX_SOCKET_GROUP") != "" {
		return nil, errors.New("the host wants to share the socket with a group (PLUGIN_UNIX_SOCKET_GROUP), which is not supported")
	}
	dir := cmp.Or(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), os.TempDir())
	return net.Listen("unix", filepath.Join(dir, "plugin"+rand.Text()[:10]))
}

func listenTCP(first, last string) (net.Listener, error) {
	var ports [2]uint64
	for i, text := range []string{first, last} {
		var err error
		if ports[i], err = strconv.ParseUint(cmp.Or(text, "0"), 10, 16); err != nil {
			return nil, fmt.Errorf("PLUGIN_MIN_PORT=%s and PLUGIN_MAX_PORT=%s: %w", first, last, err)
		}
	}
	err := fmt.Errorf("PLUGIN_MIN_PORT=%s is greater than PLUGIN_MAX_PORT=%s", first, last)
	for port := ports[0]; port <= ports[1]; port++ {
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return listener, nil
		}
	}
	return nil, err
}

// transport returns the options for mutual TLS with the host and the certificate for the
// handshake line, in DER and base64, or nothing if the host has no certificate.
func transport(host string) ([]grpc.ServerOption, string, error) {
	if host == "" {
		return nil, "", nil
	}
	hosts := x509.NewCertPool()
	if !hosts.AppendCertsFromPEM([]byte(host)) {
		return nil, "", errors.New(handshake.CertificateKey + " does not contain a certificate in PEM")
	}
	certificate, err := wire.NewCertificate()
	if err != nil {
		return nil, "", err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    hosts,
		MinVersion:   tls.VersionTLS12,
	}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(config))}, base64.RawStdEncoding.EncodeToString(certificate.Certificate[0]), nil
}

func registerServices(server *grpc.Server) {
	healthy := health.NewServer()
	healthy.SetServingStatus(wire.HealthService, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)

	shutdown := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		empty := &emptypb.Empty{} // encoded like go-plugin's own Empty
		if err := decode(empty); err != nil {
			return nil, err
		}
		go server.Stop() // cancels the other calls; this one may fail, which hosts ignore
		return empty, nil
	}
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "plugin.GRPCController",
		Methods:     []grpc.MethodDesc{{MethodName: "Shutdown", Handler: shutdown}},
	}, nil)
}
