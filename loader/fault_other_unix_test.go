//go:build unix && !linux

package loader

import (
	"os"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// unprivileged calls find without the right to read every file.
func unprivileged(t *testing.T, _ string, find func() []bundle.Fault) []bundle.Fault {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("root can read every file")
	}
	return find()
}
