//go:build unix

package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// awaitStatus waits until the status of a plugin meets a condition.
func awaitStatus(t *testing.T, p *Plugin, condition func(Status) bool) Status {
	t.Helper()
	for {
		p.mu.Lock()
		s, moved := p.status, p.moved
		p.mu.Unlock()
		if condition(s) {
			return s
		}
		<-moved
	}
}

func isRunning(s Status) bool { return s.State == StateRunning }

// lines collects the messages of a log.
type lines struct {
	mu   sync.Mutex
	list []string
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.list = append(l.list, string(b))
		return len(b), nil
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *lines) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.list {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// A plugin that crashes at the start is started loopCrashes times, and logged as an error once. Scans that find nothing
// new do not start it again; a new build and Restart do.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "crash", "")
	var log lines
	l := start(t, Options{Dirs: []string{root}, Logger: log.logger()})
	p := mustPlugin(t, l, "a")
	isParked := func(s Status) bool { return s.State == StateCrashLoop }
	awaitStatus(t, p, isParked)
	for range 20 {
		reload(t, l)
	}
	s := p.Status()
	if attempts := log.count("plugin not started"); attempts != loopCrashes || !isParked(s) || !strings.Contains(s.Reason, "cannot find my settings") {
		t.Errorf("%d attempts, status %+v", attempts, s)
	}
	if n := log.count(`level=ERROR msg="plugin not started"`); n != 1 {
		t.Errorf("logged %d times as an error", n)
	}
	if _, err := fetch(t.Context(), p, "x"); err == nil || !strings.Contains(err.Error(), "crash-loop") {
		t.Errorf("a call: %v", err)
	}
	if err := p.Restart(t.Context()); err != nil || !strings.Contains(p.Status().Reason, "cannot find my settings") {
		t.Errorf("Restart: %v, status %+v", err, p.Status())
	}
	if attempts := log.count("plugin not started"); attempts <= loopCrashes {
		t.Errorf("%d attempts after Restart", attempts)
	}
	testkit.OK(t, os.RemoveAll(dir))
	writePlugin(t, root, "a", "ok", "")
	reload(t, l)
	if s := p.Status(); !isRunning(s) || s.Reason != "" {
		t.Errorf("with a new build: %+v", s)
	}
}

// A plugin without an executable is logged once, until the reason changes.
func TestFailureIsLoggedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "ok", "")
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	testkit.OK(t, os.Remove(executable))
	var log lines
	l := start(t, Options{Dirs: []string{root}, Logger: log.logger()})
	p := mustPlugin(t, l, "a")
	awaitStatus(t, p, func(s Status) bool { return s.State == StateFailed })
	reload := func() {
		reload(t, l)
	}
	reload()
	if n := log.count("plugin not started"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	testkit.OK(t, os.Mkdir(executable, 0o755))
	reload()
	if n := log.count("plugin not started"); n != 2 {
		t.Errorf("with another reason: logged %d times, status %+v", n, p.Status())
	}
}

// A new build wakes a plugin that is parked, even if its size and time are those of the old one.
// A change of plugin.json starts it once.
func TestChangesOfAParkedPlugin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "crash", "")
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_crash"))
	at := time.Now().Add(-time.Hour)
	put := func(text string) {
		next := filepath.Join(dir, ".next")
		testkit.OK(t, os.WriteFile(next, []byte(text), 0o755), os.Chtimes(next, at, at), os.Rename(next, executable))
	}
	put("#!/bin/sh\nexit 3\n")
	var log lines
	l := start(t, Options{Dirs: []string{root}, Logger: log.logger()})
	p := mustPlugin(t, l, "a")
	isParked := func(s Status) bool { return s.State == StateCrashLoop }
	awaitStatus(t, p, isParked)
	attempts := log.count("plugin not started")
	writeMetadata(t, dir, `{"id":"a","name":"another","type":"app","backend":true,"executable":"gpx_crash","info":{"version":"1.0.0"}}`)
	reload(t, l)
	if more := log.count("plugin not started") - attempts; more != 1 || !isParked(p.Status()) {
		t.Errorf("a change of plugin.json: %d attempts, status %+v", more, p.Status())
	}
	put("#!/bin/sh\nexit 4\n")
	reload(t, l)
	if s := p.Status(); !strings.Contains(s.Reason, "exit status 4") {
		t.Errorf("the new build was not started: %+v", s)
	}
}

// A plugin that crashes after the handshake is parked as well. Reload without a change does not
// make the loader forget crashes.
func TestCrashesWhileRunning(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	for range loopCrashes {
		pid := awaitStatus(t, p, isRunning).PID
		reload(t, l)
		signal(t, pid, syscall.SIGKILL)
		awaitStatus(t, p, func(s Status) bool { return s.PID != pid })
	}
	s := awaitStatus(t, p, func(s Status) bool { return s.State == StateCrashLoop })
	if s.Restarts != loopCrashes || !strings.Contains(s.Reason, "5 crashes within 1m0s; the last: the process exited unexpectedly (signal: killed)") {
		t.Errorf("status %+v", s)
	}
	if err := p.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	if s := p.Status(); !isRunning(s) {
		t.Errorf("after Restart: %+v", s)
	}
}

// A process that runs but does not respond is replaced.
func TestDeafProcess(t *testing.T) {
	t.Parallel()
	var log lines
	_, p := mount(t, "ok", "", Options{Logger: log.logger(), Probes: Probes{Interval: 10 * time.Millisecond, Timeout: 2 * time.Second, Misses: 2}})
	pid := p.Status().PID
	signal(t, pid, syscall.SIGSTOP)
	s := awaitStatus(t, p, func(s Status) bool { return isRunning(s) && s.PID != pid })
	if s.Restarts != 1 || isAlive(pid) || log.count("the process did not respond to 2 probes of 2s each and was killed") != 1 {
		t.Errorf("status %+v, old process alive: %t, log %q", s, isAlive(pid), log.list)
	}
	if faults := p.Faults(); len(faults) != 1 || faults[0].Code != bundle.FaultDeaf {
		t.Errorf("faults %v", faults)
	}
	if _, err := fetch(t.Context(), p, "x"); err != nil {
		t.Error(err)
	}
}

// Without probes, for example in a debugger, a process that does not respond is kept.
func TestDeafProcessWithoutProbes(t *testing.T) {
	t.Parallel()
	_, p := mount(t, "ok", "", Options{Probes: Probes{Interval: -1}})
	if p.current.deaf != nil {
		t.Error("the process is probed")
	}
}

// A restart that fails for a while is not forgotten, although the process that runs is up to
// date.
func TestFailedRestartIsRepeated(t *testing.T) {
	t.Parallel()
	asked, proceed := 0, make(chan bool)
	_, p := mount(t, "ok", `,"iam":{"permissions":[]}`, Options{HostVersion: "10.3.0", Toggles: []string{ToggleServiceAccounts},
		Token: func(context.Context, bundle.Plugin) (string, error) {
			switch asked++; asked {
			case 2:
				return "", errors.New("database is locked")
			case 3:
				<-proceed
			}
			return "t", nil
		}})
	before := p.Status().PID
	testkit.OK(t, p.Restart(t.Context()))
	if s := p.Status(); s.PID != before || !strings.Contains(s.Reason, "database is locked") {
		t.Errorf("after a restart that failed: %+v", s)
	}
	close(proceed)
	awaitStatus(t, p, func(s Status) bool { return s.Reason == "" })
	if s := p.Status(); s.PID == before || !isRunning(s) {
		t.Errorf("the restart was forgotten: %+v", s)
	}
}

// If the permissions in plugin.json go away, the token is revoked, even while the old
// process keeps running because the new build does not start. When the old build returns,
// the process must get another token.
func TestRevokedTokenIsReplaced(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const iam = `,"iam":{"permissions":[{"action":"playlists:read"}]}`
	dir := writePlugin(t, root, "a", "ok", iam)
	issued := 0
	l := start(t, Options{Dirs: []string{root}, HostVersion: "10.3.0", Toggles: []string{ToggleServiceAccounts},
		Token: func(context.Context, bundle.Plugin) (string, error) {
			issued++
			return fmt.Sprint(issued), nil
		}})
	p := mustPlugin(t, l, "a")
	first := p.Status().PID
	reload := func(mode, extra string) {
		testkit.OK(t, os.RemoveAll(dir))
		writePlugin(t, root, "a", mode, extra)
		reload(t, l)
	}
	reload("crash", "")
	if s := p.Status(); s.PID != first {
		t.Fatalf("the old process does not keep serving: %+v", s)
	}
	if p.MayHaveToken() {
		t.Fatal("the token would not be revoked")
	}
	reload("ok", iam)
	if s := p.Status(); s.PID == first || !isRunning(s) {
		t.Errorf("the process with the revoked token serves: %+v", s)
	}
	if token := environmentOf(t, p)["SVC_PLUGIN_APP_CLIENT_SECRET"]; token != "2" {
		t.Errorf("token %q, want the second", token)
	}
	second := p.Status().PID
	reload("ok", iam)
	if s := p.Status(); s.PID != second {
		t.Errorf("a valid token is replaced: %+v", s)
	}
}

// startLater returns a loader that has begun to start the plugins in root, with an hour for each.
func startLater(t *testing.T, root string, o Options) *Loader {
	t.Helper()
	o.Dirs, o.StartTimeout = []string{filepath.Join(root, "none")}, time.Hour
	l := start(t, o)
	l.options.Dirs = []string{root}
	testkit.OK(t, l.Refresh(nil))
	return l
}

// A start that is interrupted because the loader is closed is not reported as a failure.
func TestCloseDuringAStart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "hang", "")
	var log lines
	l := startLater(t, root, Options{Logger: log.logger()})
	p := mustPlugin(t, l, "a")
	awaitStart(p)
	testkit.OK(t, l.Close())
	if log.count("level=ERROR") > 0 {
		t.Errorf("the log is %q", log.list)
	}
	if s := p.Status(); s.State != StateStopped || s.Reason != "" || len(p.Faults()) > 0 {
		t.Errorf("status %+v with the faults %+v", s, p.Faults())
	}
}

// A start that a newer build ends is not reported as a failure.
func TestANewBuildDuringAStart(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "a", "hang", "")
	var log lines
	l := startLater(t, root, Options{Logger: log.logger()})
	p := mustPlugin(t, l, "a")
	awaitStart(p)
	writePlugin(t, root, "a", "ok", "") // the other executable stays, since it may not have been copied yet
	reload(t, l)
	if s := p.Status(); !isRunning(s) || log.count("level=ERROR") > 0 || len(p.Faults()) > 0 {
		t.Errorf("status %+v, faults %v, log %q", s, p.Faults(), log.list)
	}
}

// awaitStart waits until a start can be aborted.
func awaitStart(p *Plugin) {
	for isStarting := false; !isStarting; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		isStarting = p.starting != nil
		p.mu.Unlock()
	}
}

// A call to a plugin whose next start is beyond ReadyTimeout does not wait for it.
func TestCallsDoNotWaitForALateStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &Plugin{id: "a", options: Options{ReadyTimeout: 10 * time.Second}, moved: make(chan struct{}),
			status: Status{State: StateRestarting, Reason: "it crashed", NextStart: time.Now().Add(20 * time.Second)}}
		begin := time.Now()
		if _, err := p.acquire(t.Context()); err == nil || time.Since(begin) != 0 {
			t.Errorf("error %v after %s", err, time.Since(begin))
		}
		p.status.NextStart = time.Now().Add(5 * time.Second)
		if _, err := p.acquire(t.Context()); err == nil || time.Since(begin) != p.options.ReadyTimeout {
			t.Errorf("error %v after %s", err, time.Since(begin))
		}
	})
}

// A special file in place of an executable cannot block the host.
func TestExecutableIsANamedPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	testkit.OK(t, syscall.Mkfifo(pipe, 0o700))
	if _, err := readShort(pipe); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a short file: %v", err)
	}
	err := copyExecutable(pipe, pipe+"-copy")
	if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(pipe + "-copy"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy: %v", err)
	}
}
