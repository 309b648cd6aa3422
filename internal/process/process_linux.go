package process

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// Attributes puts a process into its own process group, so that Ctrl-C at a terminal
// stops only the parent, which then stops the process, and has the kernel kill the
// process when the thread that started it ends.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Protect keeps other processes of the same user from reading the memory and the initial
// environment of this one in /proc, and from attaching to it. Processes of root still can.
// It also disables core dumps. Processes that this one starts are not affected.
func Protect() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); errno != 0 {
		return fmt.Errorf("set PR_SET_DUMPABLE: %w", errno)
	}
	return nil
}

// IsTraced reports whether another process, such as a debugger, traces a process.
func IsTraced(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, found := bytes.Cut(status, []byte("\nTracerPid:\t"))
	return err == nil && found && !bytes.HasPrefix(after, []byte("0\n"))
}
