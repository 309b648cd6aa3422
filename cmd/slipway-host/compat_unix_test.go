//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
)

// TestCompatPipe requires that a named pipe is reported, not opened: that would block.
func TestCompatPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(`{"id":"acme-x-panel","type":"panel"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "module.js"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, code := slipway(t, "compat", dir); code != verbs.ExitFindings || !strings.Contains(stdout, "not all were read") {
		t.Errorf("status %d: %s%s", code, stdout, stderr)
	}
}
