//go:build unix

package dev

import (
	"os/signal"
	"syscall"
)

// ignoreStops keeps the system from stopping a program in the background that reads from its terminal: it gets an error instead.
func ignoreStops() { signal.Ignore(syscall.SIGTTIN) }
