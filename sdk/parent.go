package sdk

import (
	"log/slog"
	"os"
	"runtime"
	"time"
)

const parentPoll = time.Second

// exitWithParent ends the process soon after its host has gone, however the host
// ended. A host that is killed cannot stop its plugins itself.
func exitWithParent(parent int) {
	if runtime.GOOS == "windows" { // where the id stays that of the process that is gone
		if p, err := os.FindProcess(parent); err == nil {
			_, _ = p.Wait() // works for any process there
		}
		os.Exit(0)
	}
	for os.Getppid() == parent {
		time.Sleep(parentPoll)
	}
	slog.Warn("the host has gone: exiting")
	os.Exit(0)
}
