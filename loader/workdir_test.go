//go:build unix

package loader

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
