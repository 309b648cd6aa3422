package server

import (
	"math"
	"runtime/debug"

	"github.com/slipway-dev/slipway/host"
)

// LimitMemory makes the garbage collector run more often when the process approaches
// host.MemoryTarget. Otherwise the heap could grow to twice what is in use before the
// collector runs. It leaves a limit alone that the environment variable GOMEMLIMIT has set.
func LimitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(host.MemoryTarget)
	}
}
