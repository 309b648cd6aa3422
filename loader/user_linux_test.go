package loader

import (
	"fmt"
	"runtime"
	"syscall"
)

// asUser runs f in a thread of another user, which ends afterward.
func asUser(uid int, f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // without an unlock, the thread ends with the goroutine
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
			result <- fmt.Errorf("become user %d: %w", uid, errno)
			return
		}
		result <- f()
	}()
	return <-result
}
