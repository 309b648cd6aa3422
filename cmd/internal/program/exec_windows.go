package program

import (
	"os"
	"os/exec"
	"os/signal"

	"github.com/slipway-dev/slipway/internal/process"
)

// Exec runs a program, which ends with this process, and exits with its status; a terminal sends Ctrl-C
// to both. It returns only if the program cannot be started.
func Exec(path string, args []string) error {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // signal.Ignore would let the system end this process, and with it the program
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := process.EndWithThis(cmd.Process); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return err
	}
	_ = cmd.Wait()
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}
