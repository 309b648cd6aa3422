// Package zipfs reads a zip as a tree of files without unpacking it.
//
// It defines the limits that keep a hostile zip from exhausting memory or time, and
// lists the entries as the zip declares them. It does not read beyond those limits,
// write files, or validate entries, which the rules do.
package zipfs
