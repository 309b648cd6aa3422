package server

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// writePair writes a self-signed certificate for a name and for 127.0.0.1.
func writePair(t *testing.T, certFile, keyFile, name string) *x509.Certificate {
	t.Helper()
	key := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der := testkit.Must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	secret := testkit.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		testkit.OK(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	return testkit.Must(x509.ParseCertificate(der))(t)
}

// The client offers HTTP/2, which the host does not speak.
func TestTLS(t *testing.T) {
	t.Parallel()
	o, dir := testOptions(t), t.TempDir()
	var log output
	o.TLSCert, o.TLSKey = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	pool := x509.NewCertPool()
	pool.AddCert(writePair(t, o.TLSCert, o.TLSKey, "first.example"))
	s := open(t, o)
	if !strings.HasPrefix(s.URL(), "https://127.0.0.1:") {
		t.Errorf("URL %s", s.URL())
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	for host, want := range map[string]string{"first.example": "HTTP/1.1 200", "other.example": "HTTP/1.1 421"} {
		r := testkit.Must(http.NewRequest("GET", s.URL()+"/api/health", nil))(t)
		r.Host = host
		got := testkit.Must((&http.Client{Transport: transport}).Do(r))(t)
		_ = got.Body.Close()
		if text := fmt.Sprint(got.Proto, " ", got.StatusCode); text != want {
			t.Errorf("host %s: %s, want %s", host, text, want)
		}
	}
	if got, err := http.Get("http://" + strings.TrimPrefix(s.URL(), "https://") + "/api/health"); err != nil || got.StatusCode != 400 {
		t.Errorf("HTTP on the HTTPS port: %v, %v", got, err)
	}
	if strings.Contains(log.String(), "without TLS") {
		t.Error("the host warns about missing TLS")
	}
}

func TestTLSFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	leaf := writePair(t, cert, key, "x.example")
	for name, files := range map[string][2]string{
		"no key": {cert, ""}, "no certificate": {"", key}, "missing": {cert, filepath.Join(dir, "none")}, "swapped": {key, cert},
	} {
		o := testOptions(t)
		o.TLSCert, o.TLSKey = files[0], files[1]
		if s, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "TLS") {
			t.Errorf("%s: %v", name, err)
			if s != nil {
				_ = s.Close()
			}
		}
	}
	if a, b := nameIn(leaf, "127.0.0.1"), nameIn(leaf, "10.0.0.1"); a != "127.0.0.1" || b != "x.example" {
		t.Errorf("names %s, %s", a, b)
	}
	leaf = writePair(t, cert, key, "*.wild.example")
	if a, b := nameIn(leaf, "10.0.0.1", "*.wild.example", "a.wild.example"), nameIn(leaf, "10.0.0.1"); a != "a.wild.example" || b != "127.0.0.1" {
		t.Errorf("names of a wildcard %s, %s", a, b)
	}
	leaf.IPAddresses = nil
	if got := nameIn(leaf, "10.0.0.1"); got != "10.0.0.1" {
		t.Errorf("name of nothing but a wildcard: %s", got)
	}
}

// TestWarnsWithoutTLS does not accept connections from other machines: the host is
// closed before the test looks at its log.
func TestWarnsWithoutTLS(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true} {
		o := testOptions(t)
		var log output
		o.Listen, o.Logger = listen, slog.New(slog.NewTextHandler(&log, nil))
		s := open(t, o)
		statuses := map[string]int{}
		for _, host := range []string{"", "10.1.2.3", "rebound.example"} {
			r := testkit.Must(http.NewRequest("GET", s.URL()+"/metrics", nil))(t)
			r.Host = host
			got := testkit.Must(http.DefaultClient.Do(r))(t)
			_ = got.Body.Close()
			statuses[host] = got.StatusCode
		}
		testkit.OK(t, s.Close())
		if got := strings.Contains(log.String(), "listening beyond loopback without TLS"); got != want {
			t.Errorf("%s: warns %t, want %t", listen, got, want)
		}
		if statuses[""] != 200 || statuses["rebound.example"] != 421 || (statuses["10.1.2.3"] == 200) != want {
			t.Errorf("%s: statuses %v", listen, statuses)
		}
	}
}

// A key that another user could have planted is not used.
func TestSecretKeyIsOurs(t *testing.T) {
	t.Parallel()
	if os.PathSeparator == '\\' {
		t.Skip("Windows has no file modes")
	}
	plant := func(dirMode, fileMode os.FileMode) (dir string) {
		t.Helper()
		dir = filepath.Join(t.TempDir(), "data")
		name := filepath.Join(dir, "secret.key")
		err := os.Mkdir(dir, 0o700)
		if fileMode != 0 {
			err = errors.Join(err, os.WriteFile(name, bytes.Repeat([]byte("ab"), 32), 0o600), os.Chmod(name, fileMode))
		}
		testkit.OK(t, err, os.Chmod(dir, dirMode))
		return dir
	}
	for name, c := range map[string]struct {
		dir, file os.FileMode
		problem   string
	}{
		"ours":                       {0o700, 0o600, ""},
		"readable, as in Kubernetes": {0o755, 0o644, ""},
		"none yet":                   {0o755, 0, ""},
		"writable by the group":      {0o700, 0o660, "chmod 600"},
		"writable by all":            {0o700, 0o666, "chmod 600"},
		"in a public directory":      {0o777, 0o600, "chmod o-w"},
		"in a sticky directory":      {0o777 | os.ModeSticky, 0o600, "chmod o-w"},
		"none, public directory":     {0o777, 0, "chmod o-w"},
	} {
		key, err := secretKey(plant(c.dir, c.file))
		if (err == nil) != (c.problem == "") || err != nil && (key != nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v, want %q", name, err, c.problem)
		}
	}
	o := testOptions(t)
	o.DataDir = plant(0o777, 0o666)
	if s, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "data directory") {
		t.Errorf("a host on a public directory: %v, %v", s, err)
	}
}
