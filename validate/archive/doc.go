// Package archive reads a zip as a tree of files without unpacking it.
//
// It owns the limits that keep a hostile zip from exhausting memory or time, and the
// list of entries as the zip declares them. It refuses to read beyond those limits, to
// write, and to judge entries, which is up to rules.
package archive
