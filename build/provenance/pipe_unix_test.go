//go:build unix

package provenance

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPipes requires that no named pipe of a source is opened, which would wait for its other end.
func TestPipes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"package.json", "webpack.config.js", "src/plugin.json", "src/img/logo.svg", "LICENSE"} {
		dir := writeFiles(t, map[string]string{"src/plugin.json": `{"id": "acme-x-panel", "type": "panel"}`, "src/module.ts": ""})
		pipe := filepath.Join(dir, name)
		_ = os.Remove(pipe)
		testkit.OK(t, os.MkdirAll(filepath.Dir(pipe), 0o755), syscall.Mkfifo(pipe, 0o644))
		s, err := Open(dir, nil)
		if err != nil {
			continue // it is named
		}
		if f, err := s.FS().Open(name); !errors.Is(err, tree.ErrIrregular) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	pipe := filepath.Join(t.TempDir(), "x.zip")
	testkit.OK(t, syscall.Mkfifo(pipe, 0o644))
	if _, err := Open(pipe, nil); err == nil {
		t.Error("a pipe was opened as a zip")
	}
}
