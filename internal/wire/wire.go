// Package wire contains what both ends of the plugin protocol share after the handshake: the names
// of the plugin sets, the certificates, and the keys of errors and trailers.
package wire

import "math"

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
