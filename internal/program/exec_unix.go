//go:build unix

package program

import (
	"fmt"
	"os"
	"syscall"
)

// Exec replaces this process with a program.
func Exec(path string, args []string) error {
	if err := syscall.Exec(path, append([]string{path}, args...), os.Environ()); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}
