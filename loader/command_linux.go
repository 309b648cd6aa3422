package loader

import "syscall"

// processAttributes puts a backend into its own process group, so that
// Ctrl-C at a terminal stops the host and lets the host stop it, and has the
// kernel kill it when the host dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// endGroup kills what is left of the process group.
func endGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
