//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangups returns a channel of each SIGHUP, which no longer ends the command.
func hangups() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Reset(syscall.SIGHUP) // main ends the command
	signal.Notify(c, syscall.SIGHUP)
	return c
}

// hasTerminal reports whether there is a controlling terminal: its end is a SIGHUP, too.
func hasTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}
