package loader

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"

	"github.com/slipway-dev/slipway/internal/wire"
)

// newCertificate makes a certificate of the host for one process. It returns the
// configuration of the connection, to which go-plugin adds the certificate of the process,
// and the certificate in PEM.
func newCertificate() (*tls.Config, string, error) {
	certificate, err := wire.NewCertificate()
	if err != nil {
		return nil, "", err
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		MinVersion:   tls.VersionTLS12,
		ServerName:   wire.ServerName,
		RootCAs:      x509.NewCertPool(), // nil would trust the authorities of the system
	}
	return config, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})), nil
}
