//go:build e2e && unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestInterrupt sends SIGINT to builds at random moments. Each must leave dist as it was, or
// complete, and no process, directory or file behind. The repository has its own bundler,
// which writes to dist slowly.
func TestInterrupt(t *testing.T) {
	interrupts := repeats(t, 30)
	dir := t.TempDir()
	slipway, repo, temp := slipwayCommand(t), filepath.Join(dir, pluginID), filepath.Join(dir, "temp")
	run(t, 0, "", slipway, "scaffold", "datasource", pluginID, "--dir", repo)
	testkit.OK(t, os.Mkdir(temp, 0o755))
	testkit.WriteFile(t, filepath.Join(repo, "slipway.yaml"), "frontend:\n  command: mkdir dist; echo 'define([], () => ({' > dist/module.js; sleep 1; echo '}));' >> dist/module.js\n")
	source := filepath.Join(repo, "pkg", "main.go")
	text := readFile(t, source)
	build := func(interruptAfter time.Duration) error {
		cmd := exec.CommandContext(t.Context(), slipway, "build", "--dir", repo, "--platforms=host")
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		testkit.OK(t, cmd.Start())
		if interruptAfter > 0 {
			time.Sleep(interruptAfter)
			if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Error(err)
			}
		}
		err := cmd.Wait()
		hadStarted := cmd.ProcessState.ExitCode() != -1 // otherwise the signal came before its handler
		if err != nil && hadStarted && !strings.Contains(out.String(), "build: interrupted; dist is unchanged") {
			t.Fatalf("interrupted after %s: %v\n%s", interruptAfter, err, out.String())
		}
		return err
	}
	edit := func(n int) {
		testkit.WriteFile(t, source, fmt.Sprintf("%s\n\nvar _ = %q\n\nfunc init() { println(%d) }\n", text, "edited", n))
	}
	testkit.OK(t, build(0))
	edit(0)
	started := time.Now()
	testkit.OK(t, build(0))
	whole := time.Since(started)
	seed := uint64(time.Now().UnixNano())
	random, before := rand.New(rand.NewPCG(seed, 0)), testkit.Tree(t, filepath.Join(repo, "dist"))
	completed := 0
	for n := range interrupts {
		edit(n + 1)
		after := time.Duration(random.Int64N(int64(whole))) + 1
		if build(after) == nil {
			completed++
			before = testkit.Tree(t, filepath.Join(repo, "dist"))
		}
		if now := testkit.Tree(t, filepath.Join(repo, "dist")); now != before {
			t.Errorf("seed %d: interrupted after %s of %s: dist changed from\n%s\nto\n%s", seed, after, whole, before, now)
			before = now
		}
		for _, pattern := range []string{filepath.Join(repo, ".slipway-build-*"), filepath.Join(temp, "*")} {
			if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
				t.Errorf("seed %d: interrupted after %s of %s: left behind: %q %v", seed, after, whole, left, err)
			}
		}
		for _, process := range processesOf(t, temp) {
			t.Errorf("seed %d: interrupted after %s of %s: %s still runs", seed, after, whole, process)
		}
	}
	t.Logf("%d of %d builds of %s had ended before the signal", completed, interrupts, whole.Round(time.Millisecond))
	if completed > interrupts/2 {
		t.Errorf("only %d builds were interrupted", interrupts-completed)
	}
	if err := build(0); err != nil {
		t.Errorf("a build after the interrupted ones: %v", err)
	}
}

// processesOf returns the processes that have a string in their environment.
func processesOf(t *testing.T, text string) (list []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Skip("left processes cannot be found without /proc")
	}
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte(text)) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		list = append(list, fmt.Sprintf("process %s (%q)", filepath.Base(filepath.Dir(file)), name))
	}
	return list
}
