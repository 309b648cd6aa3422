//go:build unix

package loader

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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
	victim := p.Status().PID
	signal(t, victim, syscall.SIGKILL)
	status := awaitStatus(t, p, func(s Status) bool { return s.State == StateFailed || s.State == StateRunning && s.PID != victim })
	if status.State != StateRunning {
		t.Errorf("%s: %s", status.State, status.Reason)
	}
}

// A start that fails because a build has just moved the working directory is tried again.
func TestWorkingDirectoryIsGone(t *testing.T) {
	t.Parallel()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "gone")
	c := newCommand(executable, dir, nil, io.Discard)
	if err := c.Start(t.Context()); err == nil {
		t.Fatal("started")
	}
	err = startError(t.Context(), c.startErr, c, &logWriter{}, time.Second)
	if !isRetriable(err) || !strings.Contains(err.Error(), "the working directory, "+dir+", does not exist") {
		t.Errorf("retriable: %t; %v", isRetriable(err), err)
	}
}
