package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestDirectTLS checks the TLS settings of data sources whose plugins declare no routes. The
// service responds with the number of client certificates.
func TestDirectTLS(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, direct)
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, len(r.TLS.PeerCertificates))
	}))
	service.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that clients end
	service.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	service.StartTLS()
	t.Cleanup(service.Close)
	key := testkit.Must(x509.MarshalPKCS8PrivateKey(service.TLS.Certificates[0].PrivateKey))(t)
	encode := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	cert := encode("CERTIFICATE", service.Certificate().Raw)
	f.target.URL = service.URL
	f.target.Secrets = map[string]string{"tlsCACert": cert, "tlsClientCert": cert, "tlsClientKey": encode("PRIVATE KEY", key)}
	for range 2 { // the second time, with the connections of the first
		for settings, want := range map[string]string{
			`{}`:                         "",
			`{"tlsSkipVerify":true}`:     "0",
			`{"tlsAuthWithCACert":true}`: "0",
			`{"tlsAuthWithCACert":true,"serverName":"example.com"}`:   "0",
			`{"tlsAuthWithCACert":true,"serverName":"other.invalid"}`: "",
			`{"tlsAuthWithCACert":true,"tlsAuth":true}`:               "1",
		} {
			f.target.JSON = json.RawMessage(settings)
			code, _, text := f.raw(t, request("GET", "x", "viewer"))
			if want == "" && code != http.StatusBadGateway || want != "" && (code != http.StatusOK || text != want) {
				t.Errorf("%s: %d %s, want %q", settings, code, text, want)
			}
		}
	}
	f.target.JSON = json.RawMessage(`{"tlsAuthWithCACert":true,"tlsAuth":true}`)
	for _, secret := range []string{"tlsCACert", "tlsClientKey"} {
		before := f.target.Secrets[secret]
		f.target.Secrets[secret] = "s3cret"
		if code, _, body := f.raw(t, request("GET", "x", "viewer")); code != http.StatusServiceUnavailable ||
			!strings.Contains(body, "the data source has invalid settings: the ") || strings.Contains(body, "s3cret") {
			t.Errorf("invalid %s: %d %s", secret, code, body)
		}
		f.target.Secrets[secret] = before
	}
}
