package loader

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A process restarts while a build keeps the directory of its plugin elsewhere, even if that is
// its working directory.
func TestRestartsFromAside(t *testing.T) {
	for _, isInPluginDir := range []bool{false, true} {
		t.Run(fmt.Sprintf("InPluginDir=%t", isInPluginDir), func(t *testing.T) {
			t.Parallel()
			restartFromAside(t, Settings{InPluginDir: isInPluginDir})
		})
	}
}

func restartFromAside(t *testing.T, s Settings) {
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "ok", "")
	aside := filepath.Join(root, ".aside")
	p := mustPlugin(t, start(t, Options{Dirs: []string{root}, Settings: func(string) Settings { return s }, Aside: func(moved string) string {
		if moved != dir {
			t.Errorf("looked for %s", moved)
		}
		return aside
	}}), "a")
	if err := os.Rename(dir, aside); err != nil {
		t.Fatal(err)
	}
	victim, err := os.FindProcess(p.Status().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Kill(); err != nil {
		t.Fatal(err)
	}
	status := awaitStatus(t, p, func(s Status) bool { return s.State == StateFailed || s.State == StateRunning && s.PID != victim.Pid })
	if status.State != StateRunning {
		t.Errorf("%s: %s", status.State, status.Reason)
	}
}
