//go:build unix && !linux

package process

import "syscall"

// Attributes puts a process into its own process group, so that Ctrl-C at a terminal
// stops only the parent, which then stops the process. There is no parent death signal
// here: Slipway's SDK notices that the parent is gone.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// EndGroup kills what is left of the process group of a process.
func EndGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// interruptGroup sends SIGINT to the process group of a process.
func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) }

// Protect does nothing: the system's default protection applies.
func Protect() error { return nil }

// IsTraced returns false: the system does not report which processes are traced.
func IsTraced(int) bool { return false }
