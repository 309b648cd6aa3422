//go:build !unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// Exec runs a program in place of this process, and exits with its status. A terminal sends
// Ctrl-C to both.
func Exec(path string, args []string) error {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if status, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(status.ExitCode())
	}
	if err == nil {
		os.Exit(0)
	}
	return err
}
