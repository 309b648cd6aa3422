package loader

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"time"
)

// certificateVariable names the environment variable with the certificate of the host, in PEM.
// A process that has it accepts only this client, and sends its own certificate in the
// handshake.
const certificateVariable = "PLUGIN_CLIENT_CERT"

// newCertificate makes a certificate of the host for one process. It returns the
// configuration of the connection, to which go-plugin adds the certificate of the process,
// and the certificate in PEM. It does what go-plugin's AutoMTLS does, but with a key on P-256:
// P-521 takes longer than the start of a process, and older gRPC libraries for other
// languages do not support it.
func newCertificate() (*tls.Config, string, error) {
	const host = "localhost" // the name in the certificates of processes as well
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, "", err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:  pkix.Name{CommonName: host},
		DNSNames: []string{host},
		// Processes can connect to the host as well, through go-plugin's broker.
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true, // of itself
		NotBefore:             now.Add(-time.Minute),
		NotAfter:              now.AddDate(30, 0, 0), // not before the process ends
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, "", err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		MinVersion:   tls.VersionTLS12,
		ServerName:   host,
		RootCAs:      x509.NewCertPool(), // nil would trust the authorities of the system
	}
	return config, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}
