// Package fix applies the fixes of findings until none is left.
//
// It owns which fixes are compatible, that JSON files remain JSON, and how files are
// written. It refuses to find problems itself, to write through symbolic links or
// outside its directory, and to overwrite files that have changed since they were read.
package fix
