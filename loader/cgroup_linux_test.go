package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

// With cgroups, each process gets its own with the limits. If it is killed for using too much
// memory, the fault says so, although the process printed nothing.
func TestCgroupLimits(t *testing.T) {
	t.Parallel()
	parent, err := hostCgroup()
	if err != nil {
		t.Skipf("cgroups cannot be used here: %v", err)
	}
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	l, err := New(Options{Dirs: []string{root}, PluginLimits: PluginLimits{
		Plugins: map[string]ProcessLimits{"a": {Memory: 256 << 20, CPU: 1, OpenFiles: 77, Processes: 40}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	running := mustPlugin(t, l, "a")
	pid := running.Status().PID
	dir, err := ownCgroup(fmt.Sprintf("/proc/%d/cgroup", pid), "/sys/fs/cgroup")
	if err != nil || filepath.Dir(dir) != parent {
		t.Fatalf("the process is in %s (%v), want a child of %s", dir, err, parent)
	}
	for name, want := range map[string]string{
		"memory.max": "268435456", "memory.swap.max": "0", "memory.oom.group": "1", "cpu.max": "100000 100000", "pids.max": "40",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil && name != "memory.swap.max" || err == nil && strings.TrimSpace(string(got)) != want {
			t.Errorf("%s is %q (%v), want %s", name, got, err, want)
		}
	}
	rlimits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if fields := strings.Join(strings.Fields(string(rlimits)), " "); err != nil ||
		!strings.Contains(fields, "Max open files 77 77") || !strings.Contains(fields, "Max data size unlimited") {
		t.Errorf("rlimits %s (%v)", fields, err)
	}
	if _, err := fetch(t.Context(), running, "/fill"); err == nil {
		t.Error("no error from a call that uses up the memory")
	}
	awaitStatus(t, running, func(s Status) bool { return s.Restarts == 1 && isRunning(s) })
	if f := running.Faults(); len(f) != 1 || f[0].Code != bundle.FaultOutOfMemory || !strings.HasSuffix(f[0].Reason, "(signal: killed); it reached its memory limit of 256 MiB") {
		t.Errorf("faults %+v of a process that reached its limit", f)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want no such directory", dir, err)
	}
}

func TestCgroupLimitAtStart(t *testing.T) {
	t.Parallel()
	if _, err := hostCgroup(); err != nil {
		t.Skipf("cgroups cannot be used here: %v", err)
	}
	for mode, want := range map[string]struct {
		limits ProcessLimits
		reason string
	}{
		"hungry":  {ProcessLimits{Memory: 128 << 20}, "(signal: killed); it reached its memory limit of 128 MiB"},
		"threads": {ProcessLimits{Processes: 40}, "; it reached its process limit of 40"},
		"busy":    {ProcessLimits{CPU: 1}, "; its CPU limit of 1 delayed it by "},
	} {
		root := t.TempDir()
		writePlugin(t, root, "a", mode, "")
		found, _ := bundle.Discover(root)
		timeout := time.Minute
		if mode == "busy" {
			timeout = 10 * time.Second
		}
		_, err := Start(t.Context(), found[0], Options{StartTimeout: timeout, PluginLimits: PluginLimits{Default: want.limits}}, Output{})
		if err == nil || !strings.Contains(err.Error(), want.reason) {
			t.Errorf("%s: error %v, want one with %q", mode, err, want.reason)
		}
	}
}

// The end of a process ends what it started, even in another session, and removes its cgroup.
func TestEndOfCgroup(t *testing.T) {
	t.Parallel()
	if _, err := hostCgroup(); err != nil {
		t.Skipf("cgroups cannot be used here: %v", err)
	}
	cmd := exec.Command("/bin/sh", "-c", "setsid sleep 1000 >/dev/null &")
	cmd.SysProcAttr = process.Attributes()
	g, err := ProcessLimits{Processes: 50}.cgroup(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	dir := g.dir.Name()
	if left, err := os.ReadFile(filepath.Join(dir, "cgroup.procs")); err != nil || len(left) == 0 {
		t.Errorf("processes %q (%v), want the one that was left behind", left, err)
	}
	if got := g.end(); !got.isKnown || got.processes != 0 {
		t.Errorf("events %+v", got)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want no such cgroup", err)
	}
}

func TestOwnCgroup(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cgroup")
	for text, want := range map[string]string{
		"0::/\n":                                 "/m",
		"4:memory:/a\n1:cpu:/b\n0::/c/d.scope\n": "/m/c/d.scope",
		"4:memory:/a\n":                          "",
		"":                                       "",
	} {
		writeFile(t, file, text)
		if got, err := ownCgroup(file, "/m"); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// A cgroup that is not for the host alone is left as it is.
func TestDivideCgroup(t *testing.T) {
	t.Parallel()
	own := fmt.Sprintln(os.Getpid())
	for _, c := range []struct{ controllers, procs, kill, want string }{
		{"", own, "y", "no such file or directory"},
		{"cpu io pids", own, "y", "does not have the controller memory"},
		{"cpu memory pids", own + "1\n", "y", "contains other processes"},
		{"cpu memory pids", "0\n", "y", "contains other processes"},
		{"cpu memory pids", "", "y", "does not contain this process"},
		{"cpu memory pids", own, "", "Linux 5.14"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"cgroup.controllers": c.controllers, "cgroup.procs": c.procs, "cgroup.kill": c.kill} {
			if text != "" || name == "cgroup.procs" {
				writeFile(t, filepath.Join(dir, name), text)
			}
		}
		if err := divideCgroup(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "slipway-host")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: a cgroup is left behind: %v", c, err)
		}
	}
}

func TestReadEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if diff := cmp.Diff(limitEvents{isKnown: true}, readEvents(dir), cmp.AllowUnexported(limitEvents{})); diff != "" {
		t.Errorf("without files (-want +got):\n%s", diff)
	}
	writeFile(t, filepath.Join(dir, "memory.events"), "low 0\nhigh 0\nmax 1203\noom 2\noom_kill 7\noom_group_kill 1\n")
	writeFile(t, filepath.Join(dir, "pids.events"), "max 3\n")
	writeFile(t, filepath.Join(dir, "cpu.stat"), "usage_usec 9\nnr_periods 4\nnr_throttled 2\nthrottled_usec 1500\n")
	want := limitEvents{isKnown: true, memory: 2, processes: 3, throttled: 1500 * time.Microsecond}
	if diff := cmp.Diff(want, readEvents(dir), cmp.AllowUnexported(limitEvents{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
