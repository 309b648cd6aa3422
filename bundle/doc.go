// Package bundle says what a plugin is on disk: its plugin.json, where plugins
// are found below a folder, the platforms a backend is built for and how its
// executables are named.
//
// It reads; it does not judge (that is validate) and it starts nothing (that is
// loader). It imports no other package of this module.
package bundle
