package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"time"
)

// ServerName is the name in the certificates of both ends.
const ServerName = "localhost"

// NewCertificate makes the certificate of one end for the life of one process. It is like
// one from go-plugin's AutoMTLS, but with a P-256 key: generating a P-521 key takes longer
// than starting a process, and older gRPC libraries for other languages do not support it.
func NewCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:  pkix.Name{CommonName: ServerName},
		DNSNames: []string{ServerName},
		// With go-plugin's broker, each end can be a client and a server.
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true, // of itself
		NotBefore:             now.Add(-time.Minute),
		NotAfter:              now.AddDate(30, 0, 0), // not before the process ends
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
