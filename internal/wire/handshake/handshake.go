// Package handshake has the start of the plugin protocol: what a host sets in the environment of a
// plugin, and the line that the plugin prints once it serves. Unlike package wire, it does not
// import gRPC.
package handshake

import (
	"errors"
	"strconv"
	"strings"
)

// AppProtocol is the version of the application protocol in the line.
const AppProtocol = 2

// The host sets the environment variable CookieKey to CookieValue for all types of
// plugins. It tells a plugin that a host started it; it is not a secret.
const (
	CookieKey   = "grafana_plugin_type"
	CookieValue = "datasource"
)

// CertificateKey is the environment variable with the certificate of the host, in PEM. A
// plugin that is started with it accepts only this host, and sends its own certificate in
// the line.
const CertificateKey = "PLUGIN_CLIENT_CERT"

// Environ returns the variables that every host sets, except the certificate. The plugin creates its socket in dir.
func Environ(dir string) []string {
	return []string{
		CookieKey + "=" + CookieValue, "PLUGIN_PROTOCOL_VERSIONS=" + strconv.Itoa(AppProtocol),
		"PLUGIN_MIN_PORT=10000", "PLUGIN_MAX_PORT=25000", "PLUGIN_UNIX_SOCKET_DIR=" + dir,
	}
}

// The errors of Parse.
var (
	ErrOther    = errors.New("not a handshake: it must look like 1|2|unix|/path/of/socket|grpc")
	ErrProtocol = errors.New("the handshake of another protocol: hosts need 1|2|...|grpc")
)

// Parse returns the network, unix or tcp, and the address in the line of a handshake.
func Parse(line string) (network, address string, err error) {
	fields := strings.Split(strings.TrimSpace(line), "|")
	switch {
	case len(fields) < 5, fields[2] != "unix" && fields[2] != "tcp":
		return "", "", ErrOther
	case fields[0] != "1", fields[1] != strconv.Itoa(AppProtocol), fields[4] != "grpc":
		return "", "", ErrProtocol
	}
	return fields[2], fields[3], nil
}
