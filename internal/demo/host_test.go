package demo

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test executable act as a host that prints its URL and then hangs or
// fails.
func TestMain(m *testing.M) {
	switch os.Getenv("DEMO_TEST_HOST") {
	case "":
		os.Exit(m.Run())
	case "hangs":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("listening on http://127.0.0.1:1")
		time.Sleep(time.Minute)
	case "fails":
		fmt.Println("listening on http://127.0.0.1:1")
		for n := range 20_000 {
			fmt.Fprintln(os.Stderr, "request", n)
		}
		os.Exit(1)
	}
}

func TestLogOfHostThatExits(t *testing.T) {
	t.Setenv("DEMO_TEST_HOST", "fails")
	h, err := startHost(t.Context(), 200*time.Millisecond, "x", os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	text := (<-h.ended).Error()
	if !strings.HasPrefix(text, "exit status 1\n") || !strings.HasSuffix(text, "\nrequest 19999\n") || len(text) > maxLog+100 {
		t.Errorf("%d bytes: %.100s", len(text), text)
	}
}

func TestStopNeverHangs(t *testing.T) {
	t.Setenv("DEMO_TEST_HOST", "hangs")
	h, err := startHost(t.Context(), 200*time.Millisecond, "x", os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := h.stop(); err == nil || !strings.Contains(err.Error(), "signal: killed") && runtime.GOOS != "windows" {
		t.Errorf("error %v", err)
	}
	if h.cmd.ProcessState == nil {
		t.Error("the host is still running")
	}
}
