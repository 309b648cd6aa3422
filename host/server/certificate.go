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
	"time"
)

// certificate is a TLS certificate that is loaded again when its files change.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	files [2]fileVersion // that were loaded last, with or without success
	pair  *tls.Certificate
}

// fileVersion differs when a file was written or replaced.
type fileVersion struct {
	modified time.Time
	size     int64
}

// openCertificate loads the certificate and the key from PEM files.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS needs both a certificate and a key")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	files, err := c.versions()
	if err == nil {
		err = c.load(files)
	}
	if err != nil {
		return nil, fmt.Errorf("load the TLS certificate: %w", err)
	}
	return c, nil
}

// get returns the certificate for a new connection. If the files have changed but cannot
// be used, it logs the reason once and returns the certificate that was loaded before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files, err := c.versions()
	if files == c.files {
		return c.pair, nil
	}
	if err == nil {
		err = c.load(files)
	}
	if err != nil {
		c.files = files
		c.log.Error("TLS certificate not reloaded; the previous one stays in use", "error", err)
		return c.pair, nil
	}
	c.log.Info("TLS certificate reloaded", "expires", c.pair.Leaf.NotAfter)
	return c.pair, nil
}

func (c *certificate) load(files [2]fileVersion) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.files, c.pair = files, &pair
	return nil
}

// versions returns the zero fileVersion for a file that cannot be read.
func (c *certificate) versions() (files [2]fileVersion, err error) {
	for i, name := range [...]string{c.certFile, c.keyFile} {
		info, statErr := os.Stat(name)
		if statErr != nil {
			err = errors.Join(err, statErr)
			continue
		}
		files[i] = fileVersion{info.ModTime(), info.Size()}
	}
	return files, err
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
