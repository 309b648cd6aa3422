// Package loader mounts plugin directories and runs their backends. It starts each
// backend over go-plugin, restarts the ones that crash, swaps the ones that were
// rebuilt and stops them all.
//
// An error in one plugin never reaches another: it ends up in that plugin's Status.
// The environment of a backend is built from scratch, and passes on only an allowlist
// of the host's variables; decideToken (token.go) decides whether it contains a service
// account token.
package loader
