//go:build e2e && linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// A host that does not watch its directories scans them after SIGHUP, and keeps running.
func TestHangup(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := newSwapping(t, root)
	s.server = (&script{slipway: slipwayCommand(t)}).start(t, nil, "host", "--watch=off", "--plugins-dir", root)
	s.credential = s.token(t, "Admin")
	pid := s.backend(t)
	for n := range 3 {
		name := fmt.Sprint("Scanned ", n)
		s.metadata(t, name)
		isListed := func() bool {
			_, text, err := s.get("/api/plugins")
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(text, name)
		}
		if isListed() {
			t.Fatal("the change is listed before SIGHUP")
		}
		testkit.OK(t, s.cmd.Process.Signal(syscall.SIGHUP))
		for !isListed() {
			time.Sleep(time.Millisecond)
		}
	}
	if now := s.backend(t); now != pid {
		t.Errorf("the process is %d, not %d", now, pid)
	}
	s.terminate(t)
}
