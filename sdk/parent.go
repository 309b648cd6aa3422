package sdk

import (
	"log/slog"
	"os"
	"time"
)

const parentPoll = time.Second

// exitWithParent ends the process soon after its host has gone, however the host
// ended. A host that is killed cannot stop its plugins itself.
func exitWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(parentPoll)
	}
	slog.Warn("the host has gone: exiting")
	os.Exit(0)
}
