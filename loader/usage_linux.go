package loader

import (
	"time"

	"github.com/prometheus/procfs"
)

// usageOf returns what a process uses, or a zero Usage if it has ended.
func usageOf(pid int) Usage {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return Usage{}
	}
	stat, err := proc.Stat()
	if err != nil {
		return Usage{}
	}
	return Usage{Memory: uint64(stat.ResidentMemory()), CPU: time.Duration(stat.CPUTime() * float64(time.Second))}
}
