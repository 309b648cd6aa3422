package process

import (
	"os"
	"syscall"
)

// Attributes puts a process into its own process group, so that Ctrl-C at a console
// stops only the parent, which then stops the process.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup does nothing: Windows has no process groups to kill.
func EndGroup(int) {}

// interruptGroup kills the process: Windows cannot interrupt it.
func interruptGroup(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
