package loader

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// unprivileged calls find without the right to read every file.
func unprivileged(t *testing.T, root string, find func() []bundle.Fault) []bundle.Fault {
	t.Helper()
	if os.Getuid() != 0 {
		return find()
	}
	if err := os.Chmod(filepath.Dir(root), 0o755); err != nil { // t.TempDir makes it private
		t.Fatal(err)
	}
	result := make(chan []bundle.Fault)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		if err := syscall.Setfsuid(65534); err != nil {
			t.Error(err)
		}
		result <- find()
	}()
	return <-result
}
