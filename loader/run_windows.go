package loader

import "syscall"

// processAttributes puts a backend into a process group of its own, so that
// Ctrl-C at a console stops the host and lets the host stop it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// endGroup does nothing: killing the process is all there is.
func endGroup(int) {}
