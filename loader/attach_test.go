//go:build unix

package loader

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// A backend in standalone mode serves calls through the loader, even after it was
// started again at another address.
func TestAttach(t *testing.T) {
	t.Parallel()
	_, p := mount(t, "ok", "", Options{Debug: Debugging{Attach: []string{"a"}}})
	dir := p.Bundle().Dir
	if _, err := fetch(t.Context(), p, "x"); err == nil {
		t.Error("a call succeeded although no backend is running")
	}
	for range 2 {
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, bundle.Host().Executable("gpx_ok")), "-standalone")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		testkit.OK(t, cmd.Start())
		got, err := fetch(t.Context(), p, "x")
		for ; err != nil; got, err = fetch(t.Context(), p, "x") { // it is not listening yet
			time.Sleep(20 * time.Millisecond)
		}
		if got != "GET /x" {
			t.Errorf("got %q", got)
		}
		if s := p.Status(); s.State != StateRunning {
			t.Errorf("status %+v", s)
		}
		testkit.OK(t, cmd.Process.Signal(os.Interrupt))
		if err := cmd.Wait(); err != nil {
			t.Errorf("the backend: %v", err)
		}
		for _, name := range []string{addressFile, pidFile} {
			if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s was left behind: %v", name, err)
			}
		}
	}
}

func TestStandaloneAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		":1234": "127.0.0.1:1234", "[::]:1": "127.0.0.1:1", "0.0.0.0:1": "127.0.0.1:1", "localhost:1\n": "localhost:1",
		"127.0.0.1:1": "127.0.0.1:1", "[::1]:1": "[::1]:1",
		"192.0.2.1:1": "", "example.com:1": "", "localhost.example.com:1": "", "no port": "", strings.Repeat("1", 2000): "",
	} {
		dir := t.TempDir()
		testkit.OK(t, os.WriteFile(filepath.Join(dir, addressFile), []byte(text), 0o600))
		if got, err := standalone(dir); got != want || (err == nil) != (want != "") {
			t.Errorf("%.50q: got %q, %v; want %q", text, got, err, want)
		}
	}
	dir := t.TempDir()
	ended := exec.CommandContext(t.Context(), "true")
	if err := ended.Run(); err != nil {
		t.Skip(err)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, addressFile), []byte(":1"), 0o600),
		os.WriteFile(filepath.Join(dir, pidFile), []byte(strconv.Itoa(ended.Process.Pid)), 0o600))
	if got, err := standalone(dir); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("an ended process: %q, %v", got, err)
	}
}
