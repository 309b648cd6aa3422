// Package archive reads a zip as a tree of files without unpacking it.
//
// It owns the limits that keep a hostile zip from using up memory or time, and the
// entries as they are written, for rules to judge. It refuses to judge them itself,
// to write, and to read an entry beyond its limits.
package archive
