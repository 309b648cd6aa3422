package demo

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test executable act as a host that prints its URL and then hangs.
func TestMain(m *testing.M) {
	if os.Getenv("DEMO_TEST_HOST") == "hangs" {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("listening on http://127.0.0.1:1")
		time.Sleep(time.Minute)
		return
	}
	os.Exit(m.Run())
}

func TestStopNeverHangs(t *testing.T) {
	t.Setenv("DEMO_TEST_HOST", "hangs")
	h, err := startHost(t.Context(), exec.Command(os.Args[0]), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.stop(200 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "killed, because it did not exit within 200ms") {
		t.Errorf("error %v", err)
	}
	if h.cmd.ProcessState == nil {
		t.Error("the host is still running")
	}
}

func TestStopError(t *testing.T) {
	t.Parallel()
	status, other := &exec.ExitError{}, errors.New("x")
	for _, c := range []struct {
		err              error
		isKilled, isFine bool
	}{{nil, false, true}, {status, true, true}, {status, false, false}, {other, true, false}} {
		if got := stopError(c.err, c.isKilled); (got == nil) != c.isFine {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
