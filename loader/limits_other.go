//go:build !linux

package loader

import (
	"fmt"
	"runtime"
)

func (l ProcessLimits) set(int) error {
	return fmt.Errorf("memory, openFiles and processes cannot be limited on %s: remove these limits", runtime.GOOS)
}
