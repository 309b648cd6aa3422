//go:build !unix

package dev

// ignoreStops does nothing: the system does not stop a program that reads from its terminal.
func ignoreStops() {}
