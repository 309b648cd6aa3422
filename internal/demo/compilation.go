package demo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// compilation returns how long the command that started the demo ran before it: Mage
// compiles the magefile, and "go tool" compiles Mage. Neither prints anything, and no code
// of the demo runs until they are done. It returns 0 if that is unknown, as on Windows.
func compilation(ctx context.Context) time.Duration {
	parent := os.Getppid()
	elapsed, name, grandparent := processInfo(ctx, parent)
	if name != "mage" {
		return 0
	}
	if before, name, _ := processInfo(ctx, grandparent); name == "go" {
		elapsed = before
	}
	return elapsed
}

// processInfo returns how long a process has run, the name of its program and its parent.
func processInfo(ctx context.Context, pid int) (elapsed time.Duration, name string, parent int) {
	out, err := exec.CommandContext(ctx, "ps", "-o", "ppid=,etime=,comm=", "-p", strconv.Itoa(pid)).Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 3 {
		return 0, "", 0
	}
	elapsed, ok := parseElapsed(fields[1])
	if !ok {
		return 0, "", 0
	}
	parent, _ = strconv.Atoi(fields[0])
	return elapsed, filepath.Base(fields[2]), parent
}

// parseElapsed parses the format of POSIX for ps, [[dd-]hh:]mm:ss.
func parseElapsed(text string) (elapsed time.Duration, ok bool) {
	days, clock, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, clock = "0", text
	}
	seconds, err := strconv.Atoi(days)
	if err != nil {
		return 0, false
	}
	parts := strings.Split(clock, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	if len(parts) == 2 {
		parts = append([]string{"0"}, parts...)
	}
	for i, unit := range []int{24, 60, 60} {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return 0, false
		}
		seconds = seconds*unit + n
	}
	return time.Duration(seconds) * time.Second, true
}
