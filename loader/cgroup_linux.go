package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// hostCgroup returns the directory of the cgroup in which each plugin gets one of its own.
// The first call moves this process to a child of it. The error says why cgroups cannot be used.
var hostCgroup = sync.OnceValues(func() (string, error) {
	dir, err := ownCgroup("/proc/self/cgroup", "/sys/fs/cgroup")
	if err != nil {
		return "", err
	}
	return dir, divideCgroup(dir)
})

// announce logs how the limits are enforced.
func (l PluginLimits) announce(logger *slog.Logger) {
	if l.Default == (ProcessLimits{}) && len(l.Plugins) == 0 {
		return
	}
	if dir, err := hostCgroup(); err != nil {
		logger.Info("rlimits limit the plugins", "reason", fmt.Sprintf("cgroups cannot be used: %v", err))
	} else {
		logger.Info("cgroups limit the plugins", "dir", dir)
	}
}

// ownCgroup returns the directory of the cgroup v2 that a file in /proc names.
func ownCgroup(file, mount string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return filepath.Join(mount, path), nil
		}
	}
	return "", errors.New("the system does not use cgroup v2")
}

// divideCgroup enables the controllers for the children of the cgroup of this process. A
// cgroup with processes cannot do that, so it moves this process and its children to a child.
func divideCgroup(dir string) error {
	pids, err := checkCgroup(dir)
	if err != nil {
		return err
	}
	own := filepath.Join(dir, "slipway-host")
	if err := os.Mkdir(own, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err = moveTo(own, pids)
	if err == nil {
		err = writeCgroup(dir, "cgroup.subtree_control", "+cpu +memory +pids")
	}
	if err != nil {
		return errors.Join(err, moveTo(dir, pids), os.Remove(own))
	}
	return nil
}

// checkCgroup returns the processes in a cgroup, or why it cannot or should not be divided.
func checkCgroup(dir string) (pids []int, err error) {
	controllers, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"cpu", "memory", "pids"} {
		if !slices.Contains(strings.Fields(string(controllers)), name) {
			return nil, fmt.Errorf("%s does not have the controller %s", dir, name)
		}
	}
	list, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	for _, field := range strings.Fields(string(list)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		if pid != os.Getpid() && !isChild(pid) {
			return nil, fmt.Errorf("%s contains other processes", dir)
		}
		pids = append(pids, pid)
	}
	switch _, err := os.Stat(filepath.Join(dir, "cgroup.kill")); {
	case !slices.Contains(pids, os.Getpid()):
		return nil, fmt.Errorf("%s does not contain this process", dir)
	case err != nil:
		return nil, errors.New("they need Linux 5.14")
	case isManaged(dir):
		return nil, fmt.Errorf("systemd has not delegated %s", dir)
	}
	// A process starts in its cgroup through clone3, which the seccomp profiles of some
	// containers forbid. Without arguments, the call is invalid.
	if _, _, errno := unix.Syscall(unix.SYS_CLONE3, 0, 0, 0); errno != unix.EINVAL {
		return nil, fmt.Errorf("clone3: %w", errno)
	}
	return pids, nil
}

func isChild(pid int) bool {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return false
	}
	stat, err := proc.Stat()
	return err == nil && stat.PPID == os.Getpid()
}

// isManaged reports whether systemd may revert changes to a cgroup: it marks those that it
// delegates.
func isManaged(dir string) bool {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return false
	}
	_, userErr := unix.Getxattr(dir, "user.delegate", nil)
	_, rootErr := unix.Getxattr(dir, "trusted.delegate", nil) // older versions set only this one
	return userErr != nil && rootErr != nil
}

// moveTo moves processes to a cgroup.
func moveTo(dir string, pids []int) error {
	for _, pid := range pids {
		if err := writeCgroup(dir, "cgroup.procs", strconv.Itoa(pid)); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

func writeCgroup(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// cgroup limits a process and its descendants. A nil cgroup does nothing.
type cgroup struct{ dir *os.File }

// cgroup makes the cgroup in which a command is to start. It returns nil if cgroups cannot be
// used or the limits do not need one.
func (l ProcessLimits) cgroup(cmd *exec.Cmd) (*cgroup, error) {
	if l.Memory == 0 && l.CPU == 0 && l.Processes == 0 {
		return nil, nil
	}
	parent, err := hostCgroup()
	if err != nil {
		return nil, nil
	}
	name, err := os.MkdirTemp(parent, "slipway-plugin-")
	if err != nil {
		return nil, fmt.Errorf("limit the process: %w", err)
	}
	err = l.write(name)
	var dir *os.File
	if err == nil {
		dir, err = os.Open(name)
	}
	if err != nil {
		return nil, fmt.Errorf("limit the process: %w", errors.Join(err, os.Remove(name)))
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
	return &cgroup{dir}, nil
}

// write writes the limits to a cgroup.
func (l ProcessLimits) write(dir string) error {
	const period = 100_000 // µs
	values := map[string]string{}
	if l.Memory > 0 {
		values["memory.max"] = strconv.FormatUint(uint64(l.Memory), 10)
		values["memory.oom.group"] = "1"
		values["memory.swap.max"] = "0"
	}
	if l.CPU > 0 {
		values["cpu.max"] = fmt.Sprintf("%d %d", l.CPU*period, period)
	}
	if l.Processes > 0 {
		values["pids.max"] = strconv.FormatUint(l.Processes, 10)
	}
	for name, value := range values {
		err := writeCgroup(dir, name, value)
		isWithoutSwap := name == "memory.swap.max" && errors.Is(err, fs.ErrNotExist) // the kernel does not count swap
		if err != nil && !isWithoutSwap {
			return err
		}
	}
	return nil
}

// end kills the processes in the cgroup, removes it, and returns which limits they reached.
func (g *cgroup) end() (e limitEvents) {
	if g == nil {
		return e
	}
	defer func() { _ = g.dir.Close() }()
	dir := g.dir.Name()
	e = readEvents(dir)
	_ = writeCgroup(dir, "cgroup.kill", "1")
	// It stays busy until the processes have ended. One that the kernel cannot end must not
	// hold up the plugin.
	for range 100 {
		if err := os.Remove(dir); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return e
}

func readEvents(dir string) limitEvents {
	return limitEvents{
		isKnown:   true,
		memory:    readValue(dir, "memory.events", "oom"), // oom_kill also counts kills for the limit of an ancestor
		processes: readValue(dir, "pids.events", "max"),
		throttled: time.Duration(readValue(dir, "cpu.stat", "throttled_usec")) * time.Microsecond,
	}
}

// readValue returns the number after a key at the beginning of a line of a file, or 0.
func readValue(dir, name, key string) (n uint64) {
	text, _ := os.ReadFile(filepath.Join(dir, name)) // not every kernel has every file
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+" "); ok {
			n, _ = strconv.ParseUint(strings.TrimSpace(value), 10, 64)
		}
	}
	return n
}
