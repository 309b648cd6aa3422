package loader

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The processes of a plugin are bound by its limits, and the reason of a crash names the
// limit that was reached.
func TestProcessLimits(t *testing.T) {
	t.Parallel()
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
	for id, want := range map[string]string{"b": "; it reached its memory limit of 128 MiB", "c": "; it reached its limit of 77 open files"} {
		if s := mustPlugin(t, l, id).Status(); !strings.Contains(s.Reason, want) {
			t.Errorf("%s: reason %q, want one with %q", id, s.Reason, want)
		}
	}
}
