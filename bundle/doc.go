// Package bundle describes plugins on disk: plugin.json, the directories in which
// plugins are found, the platforms of backends and the names of their executables.
//
// It owns the parsed plugin.json, both as Metadata and as a Document with positions. It
// refuses to judge plugins (see validate) and to start them (see loader), and imports no
// other package of this module.
package bundle
