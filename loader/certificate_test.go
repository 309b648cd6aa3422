//go:build unix

package loader

import (
	"crypto/tls"
	"errors"
	"strings"
	"testing"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/wire"
)

// serveWithOwnCertificate serves with a certificate that is not in the handshake.
func serveWithOwnCertificate() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: wire.Handshake(), Plugins: wire.Services{wire.SetDiagnostics: func(grpc.ServiceRegistrar) {}}.PluginSet(), GRPCServer: goplugin.DefaultGRPCServer,
		TLSProvider: func() (*tls.Config, error) {
			own, _, err := newCertificate()
			return &tls.Config{Certificates: own.Certificates}, err
		},
	})
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
