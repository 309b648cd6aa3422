//go:build unix

package program

import (
	"fmt"
	"os"
	"syscall"
)

// Exec replaces this process with a program. It returns only if the program cannot be started.
func Exec(path string, args []string) error {
	return fmt.Errorf("start %s: %w; if it is damaged, delete it, and it is built again", path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}
