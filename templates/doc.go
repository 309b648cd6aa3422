// Package templates contains the plugins that scaffold writes, and the function that
// renders them. It does not guess: an invalid id and a directory that is not empty
// are errors.
//
// The files are in files/<layer>, with the delimiters [[ and ]]. In render.go, layers chooses
// the layers, targetName renames files, and owned lists those that an update of a scaffold replaces.
package templates
