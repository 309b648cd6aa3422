package loader

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// Without cgroups, rlimits bind the processes of a plugin, and the reason for a crash names the
// limit that was reached.
func TestProcessLimits(t *testing.T) {
	t.Parallel()
	if _, err := hostCgroup(); err == nil {
		t.Skip("cgroups limit the plugins here")
	}
	root := t.TempDir()
	for id, mode := range map[string]string{"a": "ok", "b": "hungry", "c": "files"} {
		writePlugin(t, root, id, mode, "")
	}
	l := start(t, Options{Dirs: []string{root}, PluginLimits: PluginLimits{
		Default: ProcessLimits{Memory: 4 << 30, // the race detector needs more than 256 MiB
			CPU: 1, OpenFiles: 77, Processes: 5000},
		Plugins: map[string]ProcessLimits{"b": {Memory: 128 << 20}},
	}})
	running := mustPlugin(t, l, "a")
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", running.Status().PID))
	if err != nil {
		t.Fatal(err)
	}
	fields := string(bytes.Join(bytes.Fields(text), []byte(" ")))
	for _, want := range []string{"Max data size 4294967296 4294967296", "Max open files 77 77", "Max processes 5000 5000"} {
		if !strings.Contains(fields, want) {
			t.Errorf("%q is missing in the limits of the process: %s", want, fields)
		}
	}
	env := environmentOf(t, running)
	if env["GOMAXPROCS"] != "1" || env["GOMEMLIMIT"] != "3865470561" {
		t.Errorf("GOMAXPROCS=%s GOMEMLIMIT=%s", env["GOMAXPROCS"], env["GOMEMLIMIT"])
	}
	if _, err := fetch(t.Context(), running, "memory"); err == nil {
		t.Error("no error of a call that uses up the memory")
	}
	awaitStatus(t, running, func(s Status) bool { return s.Restarts == 1 && isRunning(s) })
	if faults := running.Faults(); len(faults) != 1 || !strings.HasSuffix(faults[0].Reason, "; it reached its memory limit of 4.0 GiB") {
		t.Errorf("faults %+v of a process that reached its limit", faults)
	}
	for id, want := range map[string]string{"b": "; it reached its memory limit of 128 MiB", "c": "; it reached its open-file limit of 77"} {
		if s := mustPlugin(t, l, id).Status(); !strings.Contains(s.Reason, want) {
			t.Errorf("%s: reason %q, want one with %q", id, s.Reason, want)
		}
	}
}

// The reason names the limit of a process that was killed because it did not respond, too.
func TestLimitOfADeafProcess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "ok", "")
	p := mustPlugin(t, start(t, Options{
		Dirs: []string{root}, Probes: Probes{Interval: 10 * time.Millisecond, Timeout: 2 * time.Second, Misses: 1},
		PluginLimits: PluginLimits{Default: ProcessLimits{OpenFiles: 1000}},
	}), "a")
	if _, err := fetch(t.Context(), p, "/complain"); err != nil {
		t.Fatal(err)
	}
	pid := p.Status().PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitStatus(t, p, func(s Status) bool { return isRunning(s) && s.PID != pid })
	if f := p.Faults(); len(f) != 1 || f[0].Code != bundle.FaultDeaf || !strings.HasSuffix(f[0].Reason, "; it reached its open-file limit of 1000") {
		t.Errorf("faults %+v", f)
	}
}
