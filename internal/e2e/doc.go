// Package e2e is the end-to-end script: it drives the program slipway and the
// Mage targets as a user does, with real processes, from an empty folder to a
// killed host. It also holds plugins on our SDK and on the existing one against each
// other's hosts. It has no code of its own and runs under the build tag e2e.
package e2e
