//go:build e2e && unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// killing runs sessions of "slipway dev" and ends them at random moments.
type killing struct {
	slipway, repo, temp, data string
	source, text              string // a file of the backend, and its contents
	edits                     atomic.Int64
}

// TestKill ends sessions of dev with SIGKILL, and with signals that they handle, at random
// moments of the start, the build, the swap and the drain. No processes may be left, and no
// directories unless it was killed: the next sessions sweep those.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	k := &killing{slipway: slipwayCommand(t), repo: filepath.Join(dir, pluginID), temp: t.TempDir(), data: filepath.Join(dir, "data")}
	run(t, 0, "", k.slipway, "scaffold", "datasource", pluginID, "--dir", k.repo)
	k.source = filepath.Join(k.repo, "pkg", "main.go")
	k.text = testkit.ReadFile(t, k.source)
	k.session(t, time.Hour, nil) // the first build takes longer
	started := time.Now()
	k.session(t, time.Hour, nil)
	whole := time.Since(started)
	t.Logf("a session takes %s", whole.Round(time.Millisecond))
	for _, c := range []struct {
		name     string
		n        int
		isKilled bool // and cannot remove its directories
		signals  func(r *rand.Rand) []syscall.Signal
	}{
		{"SIGKILL", repeats(t, 100), true, func(*rand.Rand) []syscall.Signal { return []syscall.Signal{syscall.SIGKILL} }},
		{"a second signal", repeats(t, 25), true, func(*rand.Rand) []syscall.Signal {
			return []syscall.Signal{syscall.SIGINT, syscall.SIGINT} // the second one kills
		}},
		{"handled", repeats(t, 75), false, func(r *rand.Rand) []syscall.Signal {
			s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
			switch r.IntN(3) {
			case 0:
				return s[:1]
			case 1:
				return s[1:]
			default:
				return s // as Mage does on Ctrl-C
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k.temp = t.TempDir() // what another subtest has left behind is not an error of this one
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			var longest time.Duration
			for range c.n {
				after := time.Duration(random.Int64N(int64(whole)))
				pid, stage := k.session(t, after, c.signals(random))
				longest = max(longest, k.clean(t, pid, c.isKilled, fmt.Sprintf("%s after %s, %s", c.name, after, stage)))
			}
			t.Logf("after %d sessions nothing was left; the last trace was gone after at most %s", c.n, longest.Round(time.Millisecond))
		})
	}
	k.temp = t.TempDir()
	k.session(t, time.Hour, nil)
}

// session starts dev with a backend that must be built, edits it once it serves, and sends
// SIGTERM once the edit is live. Meanwhile, it sends the signals after a time. It returns the
// process id of the host, and what had been reached.
func (k *killing) session(t *testing.T, after time.Duration, signals []syscall.Signal) (pid int, stage string) {
	t.Helper()
	k.edit(t)
	cmd := exec.Command(k.slipway, "dev", "--dir", k.repo, "--listen=127.0.0.1:0", "--data-dir", k.data)
	cmd.Env = append(os.Environ(), "TMPDIR="+k.temp, "SLIPWAY_ADMIN_PASSWORD="+password)
	h := launch(t, cmd)
	timer := time.AfterFunc(after, func() {
		for _, s := range signals {
			_ = cmd.Process.Signal(s) // the session may have ended
		}
	})
	defer timer.Stop()
	stage = "building"
	if _, ok := h.find(0, "watching "); ok {
		stage = "swapping"
		k.edit(t)
		if _, ok := h.find(0, "is live"); ok {
			stage = "stopping"
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	<-h.ended
	if len(signals) == 0 && (h.err != nil || stage != "stopping") {
		t.Fatalf("a session without other signals: %v, %s\n%s", h.err, stage, h.output())
	}
	return cmd.Process.Pid, stage
}

func (k *killing) edit(t *testing.T) {
	t.Helper()
	testkit.WriteFile(t, k.source, fmt.Sprintf("%s\n\nfunc init() { println(%d) }\n", k.text, k.edits.Add(1)))
}

// clean waits until neither processes nor directories of the session are left. Those of a
// session that was killed are removed, as later sessions do.
func (k *killing) clean(t *testing.T, pid int, isKilled bool, when string) time.Duration {
	t.Helper()
	ended := time.Now()
	for {
		left := processesOf(t, k.temp)
		for _, pattern := range []string{filepath.Join(k.repo, ".slipway-build-*"), filepath.Join(k.temp, "*"), fmt.Sprintf("/tmp/slipway-%d-*", pid)} {
			paths := testkit.Must(filepath.Glob(pattern))(t)
			if !isKilled {
				left = append(left, paths...)
				continue
			}
			for _, path := range paths {
				_ = os.RemoveAll(path) // a process that is ending may still write
			}
		}
		switch took := time.Since(ended); {
		case len(left) == 0:
			return took
		case took > 30*time.Second:
			t.Fatalf("%s: left behind: %q", when, left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
