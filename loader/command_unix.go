//go:build unix && !linux

package loader

import "syscall"

// processAttributes puts a backend into its own process group, so that
// Ctrl-C at a terminal stops the host and lets the host stop it. There is no
// parent death signal here: the SDK notices that the parent is gone.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills what is left of the process group.
func endGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
