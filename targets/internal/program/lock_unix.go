//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package program

import (
	"os"
	"syscall"
)

// lock waits for a lock on a file, which the system releases if this process is killed.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
