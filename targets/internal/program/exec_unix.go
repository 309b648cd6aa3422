//go:build unix

package program

import (
	"fmt"
	"os"
	"syscall"
)

// Exec replaces this process with the program. It returns only if that fails.
func Exec(path string, args []string) error {
	err := syscall.Exec(path, append([]string{path}, args...), append(os.Environ(), envFace+"=tool"))
	return fmt.Errorf("start %s: %w", path, err)
}
