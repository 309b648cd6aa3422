//go:build unix

package loader

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

// serveWithOwnCertificate serves with a certificate that is not in the handshake.
func serveWithOwnCertificate() {
	listener, err := net.Listen("unix", filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "plugin"))
	if err != nil {
		panic(err)
	}
	own, err := wire.NewCertificate()
	if err != nil {
		panic(err)
	}
	fmt.Printf("1|%d|unix|%s|grpc|\n", handshake.AppProtocol, listener.Addr())
	panic(grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&own))).Serve(listener))
}

// The host talks to a backend only over TLS, and only if the backend has the certificate of
// its handshake.
func TestBackendWithoutItsCertificateIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for mode, want := range map[string]string{
		"withouttls": "first record does not look like a TLS handshake",
		"owntls":     "failed to verify certificate",
	} {
		_, err := Start(t.Context(), bundle.Plugin{Dir: writePlugin(t, root, mode, mode, ""), Metadata: &bundle.Metadata{ID: mode, Executable: "gpx_" + mode}}, Options{}, Output{})
		fault, ok := errors.AsType[*bundle.Fault](err)
		if !ok || fault.Code != bundle.FaultHandshake || !strings.Contains(fault.Reason, want) {
			t.Errorf("%s: %v, want %s with %q", mode, err, bundle.FaultHandshake, want)
		}
	}
}
