package loader

import "syscall"

// processAttributes puts a backend into its own process group, so that
// Ctrl-C at a console stops the host and lets the host stop it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup does nothing: Windows has no process groups to kill.
func endGroup(int) {}
