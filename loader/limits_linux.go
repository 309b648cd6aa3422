package loader

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// set sets the resource limits of a process. Those of memory count private writable memory
// (RLIMIT_DATA): the address space that the runtime of Go reserves does not count.
func (l ProcessLimits) set(pid int) error {
	for _, limit := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"memory", unix.RLIMIT_DATA, uint64(l.Memory)},
		{"openFiles", unix.RLIMIT_NOFILE, l.OpenFiles},
		{"processes", unix.RLIMIT_NPROC, l.Processes},
	} {
		if limit.value == 0 {
			continue
		}
		if err := unix.Prlimit(pid, limit.resource, &unix.Rlimit{Cur: limit.value, Max: limit.value}, nil); err != nil {
			return fmt.Errorf("%s %d: %w", limit.name, limit.value, err)
		}
	}
	return nil
}
