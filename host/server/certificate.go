package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
)

// certificate is a TLS certificate that is loaded again when its files change.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	text   string // of the files that pair was loaded from
	pair   *tls.Certificate
	failed string // why the files could not be loaded the last time that this was logged
}

// openCertificate loads the certificate and the key from PEM files.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS needs both a certificate and a key")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("load the TLS certificate: %w", err)
	}
	return c, nil
}

// get returns the certificate for a new connection. If the files have changed but cannot
// be used, it logs the reason once and returns the certificate that was loaded before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.pair
	if err := c.load(); err != nil && err.Error() != c.failed {
		c.failed = err.Error()
		c.log.Error("TLS certificate not reloaded; the previous one stays in use", "error", err)
	}
	if c.pair != before {
		c.failed = ""
		c.log.Info("TLS certificate reloaded", "expires", c.pair.Leaf.NotAfter)
	}
	return c.pair, nil
}

// load replaces the certificate if the files differ from those that it was loaded from.
func (c *certificate) load() error {
	cert, certErr := os.ReadFile(c.certFile)
	key, keyErr := os.ReadFile(c.keyFile)
	if err := errors.Join(certErr, keyErr); err != nil {
		return err
	}
	text := string(cert) + string(key)
	if text == c.text {
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err == nil {
		c.text, c.pair = text, &pair
	}
	return err
}

// name returns the first of the candidates that the certificate is valid for, or else a name
// or address in the certificate. A wildcard is not a name: it is never returned. If there is
// nothing else, name returns the first candidate.
func (c *certificate) name(candidates ...string) string {
	leaf := c.pair.Leaf
	names := slices.Concat(candidates, leaf.DNSNames)
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	for _, name := range names {
		if !strings.Contains(name, "*") && leaf.VerifyHostname(name) == nil {
			return name
		}
	}
	return candidates[0]
}
