// Package fix applies the fixes of findings until none is left.
//
// It determines which fixes are compatible, ensures that JSON files remain valid, and
// writes the files. It does not find problems itself, write through symbolic links or
// outside its directory, or overwrite files that have changed since they were read.
package fix
