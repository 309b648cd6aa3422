//go:build unix

package tree_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/bundle/tree"
)

// TestPipe puts a named pipe in place of a file that a tree has listed. Nothing writes to the
// pipe, so waiting for its other end would block forever.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "logo.svg")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	confined, err := whole.Confine(".", true)
	if err != nil {
		t.Fatal(err)
	}
	defer confined.(io.Closer).Close()
	if _, err := fs.ReadDir(confined, "."); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := confined.Open("logo.svg"); !errors.Is(err, tree.ErrIrregular) {
		t.Errorf("Open: %v", err)
	}
	for _, fsys := range []fs.FS{whole, confined} {
		if _, err := fs.ReadDir(fsys, "logo.svg"); err == nil {
			t.Error("ReadDir: no error")
		}
	}
}
