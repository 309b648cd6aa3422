//go:build !linux

package loader

import (
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
)

func (l PluginLimits) announce(*slog.Logger) {}

func (l ProcessLimits) set(int) error {
	return fmt.Errorf("memory, openFiles and processes cannot be limited on %s: remove these limits", runtime.GOOS)
}

// cgroup is always nil: only Linux has cgroups.
type cgroup struct{}

func (l ProcessLimits) cgroup(*exec.Cmd) (*cgroup, error) { return nil, nil }

func (g *cgroup) end() limitEvents { return limitEvents{} }
