// Package compat determines from the files of a plugin in which hosts it runs: in this
// one, in existing ones, or in both. It reads a directory or a zip, within bounds, and
// executes nothing; a caller that starts the backend passes on what happened.
//
// What is wrong with a plugin is the subject of package validate. What its backend does
// with calls is that of package conformance.
package compat
