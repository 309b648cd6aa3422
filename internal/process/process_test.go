//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	out, err := Output(exec.CommandContext(t.Context(), "sh", "-c", "echo out; echo err >&2"))
	if string(out) != "out\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	out, err = Output(exec.CommandContext(t.Context(), "sh", "-c", "echo out; echo err >&2; exit 3"))
	exit, ok := errors.AsType[*exec.ExitError](err)
	if string(out) != "out\n" || !ok || exit.ExitCode() != 3 || err.Error() != "err" {
		t.Errorf("got %q, %v", out, err)
	}
	if _, err = Output(exec.CommandContext(t.Context(), "sh", "-c", "exit 3")); err == nil || err.Error() != "exit status 3" {
		t.Errorf("without output: %v", err)
	}
	if _, err = Output(exec.CommandContext(t.Context(), "no-such-command")); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a missing command: %v", err)
	}
}

// A command that is interrupted may still remove its temporary files, and its children end
// with it.
func TestOutputIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		cmd := exec.CommandContext(ctx, "sh", "-c", "trap 'rm started; exit 1' INT; touch started; while :; do sleep 0.01; done")
		cmd.Dir = dir
		_, err := Output(cmd)
		ended <- err
	}()
	started := filepath.Join(dir, "started")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the command did not start")
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("an interrupted command has no error")
	}
	if _, err := os.Stat(started); !os.IsNotExist(err) {
		t.Errorf("the command could not remove its file: %v", err)
	}
}
