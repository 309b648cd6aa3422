//go:build unix

package limit

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// A pipe that takes the place of a file is not opened, and nobody waits for its other end.
func TestBecomesPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe, name := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "name")
	testkit.OK(t, os.WriteFile(file, []byte("x"), 0o600))
	testkit.OK(t, syscall.Mkfifo(pipe, 0o600))
	done := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			for _, target := range []string{file, pipe} {
				if err := swap(target, name); err != nil {
					t.Error(err)
				}
			}
			if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // ends a wait
				_ = w.Close()
			}
		}
	})
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	for range 3000 {
		f, err := OpenRegular(root.OpenFile, "name")
		if err != nil {
			continue
		}
		info, err := f.Stat()
		_ = f.Close()
		if err != nil || !info.Mode().IsRegular() {
			t.Errorf("opened %v, %v", info, err)
			break
		}
	}
	close(done)
	swapping.Wait()
}

// swap makes a name a link to a target at once.
func swap(target, name string) error {
	if err := os.Link(target, name+".new"); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
