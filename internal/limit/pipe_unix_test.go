//go:build unix

package limit

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A pipe that takes the place of a file is not read, and nobody waits for its other end.
func TestReadFileBecomesPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe, name := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "name")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
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
	for range 3000 {
		if text, err := ReadFile(name, 10); err == nil && string(text) != "x" {
			t.Error("a pipe was read")
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
