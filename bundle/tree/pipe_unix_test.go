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
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPipe puts a named pipe in place of a file that a tree has listed. Nothing writes to the
// pipe, so waiting for its other end would block forever.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "logo.svg")
	testkit.OK(t, os.WriteFile(name, nil, 0o600))
	whole := testkit.Must(tree.Open(dir))(t)
	defer whole.Close()
	confined := testkit.Must(whole.Confine(".", true))(t)
	defer confined.(io.Closer).Close()
	testkit.Must(fs.ReadDir(confined, "."))(t)
	testkit.OK(t, os.Remove(name), syscall.Mkfifo(name, 0o600))
	if _, err := confined.Open("logo.svg"); !errors.Is(err, tree.ErrIrregular) {
		t.Errorf("Open: %v", err)
	}
	for _, fsys := range []fs.FS{whole, confined} {
		if _, err := fs.ReadDir(fsys, "logo.svg"); err == nil {
			t.Error("ReadDir: no error")
		}
	}
}
