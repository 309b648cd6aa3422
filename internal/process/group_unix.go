//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// Group is a command and the processes that it starts.
type Group struct{ cmd *exec.Cmd }

// NewGroup returns the group of a command that has not been started, and sets its SysProcAttr.
func NewGroup(cmd *exec.Cmd) *Group {
	cmd.SysProcAttr = Attributes()
	return &Group{cmd}
}

// Start starts the command. If it succeeds, the caller must wait for it and then call End.
func (g *Group) Start() error { return g.cmd.Start() }

// Kill kills the processes of a group that has been started.
func (g *Group) Kill() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// End kills what the command has left behind.
func (g *Group) End() { g.Kill() }

// interrupt asks the processes to end.
func (g *Group) interrupt() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGINT) }
