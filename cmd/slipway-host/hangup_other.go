//go:build !unix

package main

import "os"

// hangups returns a channel that receives nothing: the system has no SIGHUP.
func hangups() <-chan os.Signal { return nil }

// hasTerminal is about the controlling terminal, which does not matter here.
func hasTerminal() bool { return false }
