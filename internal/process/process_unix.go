//go:build unix && !linux

package process

import "syscall"

// Attributes puts a process into its own process group, so that Ctrl-C at a terminal
// stops only the parent, which then stops the process. There is no parent death signal
// here: Slipway's SDK notices that the parent is gone.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Protect does nothing: the system's default protection applies.
func Protect() error { return nil }

// IsTraced returns false: the system does not report which processes are traced.
func IsTraced(int) bool { return false }
