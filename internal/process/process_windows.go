package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a command and the processes that it starts. They are in a job object, which
// ends them when this process ends.
type Group struct {
	cmd *exec.Cmd

	mu  sync.Mutex
	job windows.Handle // 0 before Start and after End
}

// NewGroup returns the group of a command that has not been started. It replaces the
// SysProcAttr of the command. Ctrl-C at a console stops only the parent, which then stops
// the group. The command is suspended until it is in the job, so that it cannot start a
// process outside the job.
func NewGroup(cmd *exec.Cmd) *Group {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
	return &Group{cmd: cmd}
}

// Start starts the command. If it succeeds, the caller must wait for it and then call End.
func (g *Group) Start() error {
	job, err := newJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE)
	if err != nil {
		return err
	}
	if err := g.cmd.Start(); err != nil {
		return errors.Join(err, windows.CloseHandle(job))
	}
	g.mu.Lock()
	g.job = job
	g.mu.Unlock()
	if err = g.resume(); err != nil {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
		g.End()
	}
	return err
}

// EndWithThis makes a process that this one has started end when this one ends, even if it is killed.
// It does not apply to what that process starts, such as a browser.
func EndWithThis(p *os.Process) error {
	job, err := newJob(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK)
	if err != nil {
		return err
	}
	return assign(job, p) // the system closes the handle
}

func assign(job windows.Handle, p *os.Process) error {
	var assignErr error
	err := p.WithHandle(func(process uintptr) {
		assignErr = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err = cmp.Or(err, assignErr); err != nil {
		return fmt.Errorf("assign process to job object: %w", err)
	}
	return nil
}

// newJob makes a job object with limits. Only this process has a handle, and when it is closed, the
// system ends the processes in the job.
func newJob(flags uint32) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job object: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = flags
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return 0, errors.Join(fmt.Errorf("configure job object: %w", err), windows.CloseHandle(job))
	}
	return job, nil
}

// resume puts the suspended command into the job and resumes its threads.
func (g *Group) resume() error {
	if err := assign(g.job, g.cmd.Process); err != nil {
		return err
	}
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	isResumed := false
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != uint32(g.cmd.Process.Pid) {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread: %w", err)
		}
		_, err = windows.ResumeThread(thread)
		if err = errors.Join(err, windows.CloseHandle(thread)); err != nil {
			return fmt.Errorf("resume thread: %w", err)
		}
		isResumed = true
	}
	if !isResumed {
		return fmt.Errorf("resume process %d: no thread found", g.cmd.Process.Pid)
	}
	return nil
}

// Kill kills the processes of a group that has been started.
func (g *Group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

// End kills what the command has left behind.
func (g *Group) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// interrupt sends Ctrl-Break to the processes, which Go programs receive as os.Interrupt;
// Ctrl-C does not reach other process groups. Without a shared console it kills them.
func (g *Group) interrupt() error {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.cmd.Process.Pid)) != nil {
		g.Kill()
	}
	return nil
}

// Protect does nothing: the system's default protection applies.
func Protect() error { return nil }

// IsTraced returns false: the system does not report which processes are traced.
func IsTraced(int) bool { return false }
