// Package loader mounts plugin bundles and owns the processes of their backends:
// it launches them over go-plugin, watches them, restarts the ones that crash,
// swaps the ones that were rebuilt and stops them all.
//
// It refuses to let one plugin's fault become another's: whatever is wrong with a
// plugin ends in that plugin's Status, with the reason. A process gets an
// environment built from nothing, so that no variable of the host reaches it
// unless it is on a short list.
package loader
