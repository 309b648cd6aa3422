// Package loader mounts plugin directories and runs their backends. It starts each
// backend over go-plugin, restarts the ones that crash, swaps the ones that were
// rebuilt and stops them all.
//
// An error in one plugin never reaches another: it ends up in that plugin's Status.
//
// A machine (machine.go) decides when a process is started, replaced, killed and given up, and
// a supervisor (supervise.go) does it. New calls go to the new process, and calls in progress
// have DrainTimeout to end in the old one. Streams end at once; package host/live
// runs them again.
//
// The function environment (env.go) builds the environment of a backend from scratch: an allowlist
// of the host's variables, and the host's settings for plugins under the prefix of
// every profile; go-plugin adds its own. decideToken (token.go) determines whether it
// contains a service account token.
package loader
