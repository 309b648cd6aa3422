// Package process starts processes that leave no other processes behind.
//
// It owns process groups and their end, which differ by operating system. It knows
// nothing of what the processes do.
package process

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// drain is how long the output of an ended process is read, in case one of its children
// holds it open.
const drain = 500 * time.Millisecond

// Run runs a command made by exec.CommandContext in its own process group. When the
// context is done it interrupts the group, and kills it after grace; if grace is 0 it
// kills it at once. Once the command has ended, it kills what is left of the group. It is
// not an error if a process that the command left behind kept its output open.
func Run(cmd *exec.Cmd, grace time.Duration) error {
	// On Linux a child is signalled when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = Attributes()
	cmd.WaitDelay = max(grace, drain)
	cmd.Cancel = func() error {
		if grace > 0 {
			return interruptGroup(cmd.Process.Pid)
		}
		EndGroup(cmd.Process.Pid)
		return cmd.Process.Kill()
	}
	err := cmd.Run()
	if cmd.Process != nil {
		EndGroup(cmd.Process.Pid)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}
