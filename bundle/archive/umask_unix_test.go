//go:build unix

package archive

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPackIgnoresUmask is not parallel: the umask belongs to the process.
func TestPackIgnoresUmask(t *testing.T) {
	dir := plugin().write(t)
	defer syscall.Umask(syscall.Umask(0o077))
	out := packed(t, dir, Options{})
	for name := range contents(t, out) {
		info := testkit.Must(os.Stat(filepath.Join(out, name)))(t)
		if info.Mode().Perm() != 0o644 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	dir := plugin().write(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skipf("this system has no named pipes: %v", err)
	}
	if _, err := Pack(t.Context(), dir, Options{Out: t.TempDir()}); errorText(err) != "pipe: not a regular file" {
		t.Errorf("error = %v", err)
	}
	if _, err := ReadFile(os.DirFS(dir), "pipe", 1); errorText(err) != "open pipe: not a regular file" {
		t.Errorf("error = %v", err)
	}
}
