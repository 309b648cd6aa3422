//go:build windows

// Command console runs a command as a console does that a test controls with lines on
// standard input: ctrl-c sends Ctrl-C to all processes of the console, kill kills the
// command, and "kill <pid>" kills a process. It exits with the status of the command.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"golang.org/x/sys/windows"
)

func main() {
	kernel32 := windows.NewLazySystemDLL("kernel32.dll")
	_, _, _ = kernel32.NewProc("FreeConsole").Call() // without a terminal, Wine gives a console that takes no events
	if ok, _, err := kernel32.NewProc("AllocConsole").Call(); ok == 0 {
		fmt.Fprintln(os.Stderr, "console: AllocConsole:", err)
		os.Exit(125)
	}
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // a console sends it to all its processes
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if err := obey(cmd.Process, lines.Text()); err != nil {
				fmt.Fprintf(os.Stderr, "console: %s: %v\n", lines.Text(), err)
			}
		}
	}()
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	} else if ok {
		os.Exit(exit.ExitCode())
	}
}

func obey(command *os.Process, line string) error {
	var pid int
	switch {
	case line == "ctrl-c":
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_C_EVENT, 0)
	case line == "kill":
		return command.Kill()
	}
	if _, err := fmt.Sscanf(line, "kill %d", &pid); err != nil {
		return errors.New("unknown line")
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
