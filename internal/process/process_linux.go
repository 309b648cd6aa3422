package process

import "syscall"

// Attributes puts a process into its own process group, so that Ctrl-C at a terminal
// stops only the parent, which then stops the process, and has the kernel kill the
// process when the thread that started it ends.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// EndGroup kills what is left of the process group of a process.
func EndGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// interruptGroup sends SIGINT to the process group of a process.
func interruptGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGINT) }
