//go:build !unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// Exec runs the program in place of this process, and exits with its status. A terminal sends Ctrl-C
// to both. It returns only if the program cannot be started.
func Exec(path string, args []string) error {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), envFace+"=tool")
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	if err == nil {
		os.Exit(0)
	}
	return err
}
