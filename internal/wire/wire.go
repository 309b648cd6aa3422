// Package wire contains what both ends of the plugin protocol share: the handshake of
// go-plugin, the names of the plugin sets, the certificates, and the keys of errors and
// trailers.
package wire

import "math"

// AppProtocol is the version of the application protocol in the handshake line.
const AppProtocol = 2

// The host sets the environment variable CookieKey to CookieValue for all types of
// plugins. It tells a plugin that a host started it; it is not a secret.
const (
	CookieKey   = "grafana_plugin_type"
	CookieValue = "datasource"
)

// CertificateKey is the environment variable with the certificate of the host, in PEM. A
// plugin that is started with it accepts only this host, and sends its own certificate in
// the handshake line.
const CertificateKey = "PLUGIN_CLIENT_CERT"

// HealthService is the service name under which a plugin reports its health.
const HealthService = "plugin"

// MaxMessage is the largest message that either end accepts, in bytes. The ends trust
// each other; the host may limit the size of a response.
const MaxMessage = math.MaxInt32

// Names of the go-plugin sets.
const (
	SetDiagnostics    = "diagnostics"
	SetResource       = "resource"
	SetData           = "data"
	SetStream         = "stream"
	SetRenderer       = "renderer"
	SetSecretsManager = "secretsmanager"
)
