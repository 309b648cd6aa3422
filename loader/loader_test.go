//go:build unix

package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

// TestMain lets the test executable double as a backend: under the name
// gpx_<mode>_<os>_<arch> it behaves as the mode requires.
func TestMain(m *testing.M) {
	name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), "gpx_")
	if !isPlugin {
		os.Exit(m.Run())
	}
	mode, _, _ := strings.Cut(name, "_")
	switch mode {
	case "return":
		return
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot find my settings")
		os.Exit(3)
	case "needs": // a setting
		if os.Getenv("SVC_PLUGIN_NEEDED") == "" {
			fmt.Fprintln(os.Stderr, "a setting is missing")
			os.Exit(3)
		}
	case "hang":
		time.Sleep(time.Hour)
	case "withouttls":
		if err := os.Unsetenv(handshake.CertificateKey); err != nil {
			panic(err)
		}
	case "owntls":
		serveWithOwnCertificate()
	case "noise":
		fmt.Println("hello from main")
		time.Sleep(time.Hour)
	}
	serveFaulty(mode)
	sdk.Serve(sdk.Plugin{
		CheckHealth: func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			if result, err := unhealthy(mode); result != nil || err != nil {
				return result, err
			}
			details, err := json.Marshal(map[string]any{"pid": os.Getpid(), "env": os.Environ(), "mode": mode})
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine", Details: details}, err
		},
		SubscribeStream: func(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
			if req.Path == "hang" {
				select {}
			}
			return json.RawMessage(`"welcome"`), nil
		},
		RunStream: func(ctx context.Context, _ *sdk.StreamRequest, to *sdk.StreamSender) error {
			if err := to.Send(os.Getpid()); err != nil {
				return err
			}
			<-ctx.Done()
			return ctx.Err()
		},
		Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if d, err := time.ParseDuration(r.URL.Query().Get("sleep")); err == nil {
				time.Sleep(d)
			}
			if r.URL.Path == "/break" {
				stopHere()
			}
			slog.WarnContext(r.Context(), "answering", "path", r.URL.Path)
			failOn(r.URL.Path)
			if r.URL.Path == "/flood" {
				for range 50 { // 10 MB, more than the pipes hold and than the host logs in a second
					fmt.Fprintln(os.Stderr, strings.Repeat("x", 100_000))
					fmt.Println(strings.Repeat("y", 100_000))
				}
			}
			fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
		}),
	})
}

// stopHere is where a test sets a breakpoint.
//
//go:noinline
func stopHere() { slog.Info("passed the breakpoint") }

// writePlugin writes a plugin directory whose backend is this test executable in a mode.
func writePlugin(t testing.TB, root, id, mode, extra string) string {
	t.Helper()
	dir := filepath.Join(root, id)
	testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), fmt.Sprintf(
		`{"id":%q,"name":"x","type":"app","backend":true,"executable":"gpx_%s","info":{"version":"1.0.0"}%s}`, id, mode, extra))
	self := testkit.Must(os.Executable())(t)
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_"+mode))
	testkit.OK(t, os.Symlink(self, executable))
	return dir
}

func start(t *testing.T, o Options) *Loader {
	t.Helper()
	l := testkit.Must(New(o))(t)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	testkit.OK(t, l.Reload(t.Context()))
	return l
}

// mount starts a loader with the plugin a, whose backend is this test executable in a mode.
func mount(t *testing.T, mode, extra string, o Options) (*Loader, *Plugin) {
	t.Helper()
	root := t.TempDir()
	writePlugin(t, root, "a", mode, extra)
	o.Dirs = []string{root}
	l := start(t, o)
	return l, mustPlugin(t, l, "a")
}

// writeVersion changes the version of the plugin a in plugin.json.
func writeVersion(t *testing.T, dir, version string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), fmt.Sprintf(
		`{"id":"a","name":"x","type":"app","backend":true,"executable":"gpx_ok","info":{"version":%q}}`, version))
}

func reload(t *testing.T, l *Loader) {
	t.Helper()
	testkit.OK(t, l.Reload(t.Context()))
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	testkit.OK(t, syscall.Kill(pid, s))
}

func mustPlugin(t *testing.T, l *Loader, id string) *Plugin {
	t.Helper()
	p, ok := l.Plugin(id)
	if !ok {
		t.Fatalf("%s is not mounted: %v", id, l.Faults())
	}
	return p
}

func fetch(ctx context.Context, p *Plugin, path string) (string, error) {
	var body strings.Builder
	err := p.CallResource(ctx, &backend.CallResourceRequest{Method: http.MethodGet, Path: strings.SplitN(path, "?", 2)[0], URL: path}, func(r backend.CallResourceResponse) error {
		body.Write(r.Body)
		return nil
	})
	return body.String(), err
}

func TestServesAndRestartsAfterKill(t *testing.T) {
	t.Parallel()
	_, p := mount(t, "ok", "", Options{})
	if got, err := fetch(t.Context(), p, "x/y"); err != nil || got != "GET /x/y" {
		t.Fatalf("got %q, %v", got, err)
	}
	victim := p.Status().PID
	signal(t, victim, syscall.SIGKILL)
	killed := time.Now()
	for {
		_, err := fetch(t.Context(), p, "again?sleep=1ms")
		if err == nil && p.Status().PID != victim {
			break
		}
		if _, ok := errors.AsType[*sdk.Error](err); err != nil && !ok {
			t.Errorf("a call during the kill: %v", err)
		}
	}
	t.Logf("served again %s after the kill", time.Since(killed))
	wantStatus(t, p, Status{State: StateRunning, PID: p.Status().PID, Restarts: 1, Token: TokenDecision{Reason: `not requested: plugin.json has no "iam"`}})
}

// wantStatus compares the status of a plugin, except for the time.
func wantStatus(t *testing.T, p *Plugin, want Status) {
	t.Helper()
	got := p.Status()
	got.Since = time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status of %s (-want +got):\n%s", p.ID(), diff)
	}
}

func TestEnvironmentIsBuilt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	writePlugin(t, root, "with", "ok", `,"iam":{"permissions":[{"action":"playlists:read"}]}`)
	writePlugin(t, root, "without", "ok", "")
	issued := func(_ context.Context, b bundle.Plugin) (string, error) { return "token of " + b.Metadata.ID, nil }
	o := Options{
		Dirs: []string{root}, HostVersion: "10.3.0", Toggles: []string{ToggleServiceAccounts}, AppURL: "http://127.0.0.1:1",
		Token:   issued,
		Environ: []string{"SVC_PLUGIN_APP_CLIENT_SECRET=wrong", "GF_PLUGIN_APP_CLIENT_SECRET=wrong", "SECRET=wrong", "GF_PLUGIN_CANARY=wrong", "SLIPWAY_CANARY=wrong", "LD_PRELOAD=wrong", "GODEBUG=wrong", "AWS_SECRET_ACCESS_KEY=wrong", "TZ=UTC", "SVC_PLUGIN_PROFILING_ENABLED=true", "SVC_PLUGIN_OTHER=wrong"},
	}
	l := start(t, o)
	for id, want := range map[string]string{"with": "token of with", "without": ""} {
		env := environmentOf(t, mustPlugin(t, l, id))
		wantEnv := map[string]string{
			"SVC_PLUGIN_APP_CLIENT_SECRET": want, "GF_PLUGIN_APP_CLIENT_SECRET": want,
			"SVC_APP_URL": o.AppURL, "GF_APP_URL": o.AppURL,
			"SVC_PLUGIN_PROFILING_ENABLED": "true", "GF_PLUGIN_PROFILING_ENABLED": "true",
			"SVC_PLUGIN_OTHER": "", "SECRET": "", "TZ": "UTC",
		}
		gotEnv := map[string]string{}
		for name := range wantEnv {
			gotEnv[name] = env[name]
		}
		if diff := cmp.Diff(wantEnv, gotEnv); diff != "" {
			t.Errorf("environment of %s (-want +got):\n%s", id, diff)
		}
		for name, value := range env {
			if value == "wrong" {
				t.Errorf("%s: the host's variable %s is passed on", id, name)
			}
		}
	}
	if s := mustPlugin(t, l, "with").Status(); !s.Token.Injected {
		t.Errorf("status %+v", s)
	}
}

func environmentOf(t *testing.T, p *Plugin) map[string]string {
	t.Helper()
	r := testkit.Must(p.CheckHealth(t.Context(), &sdk.CheckHealthRequest{}))(t)
	var details struct{ Env []string }
	testkit.OK(t, json.Unmarshal(r.Details, &details))
	env := map[string]string{}
	for _, e := range details.Env {
		name, value, _ := strings.Cut(e, "=")
		if _, twice := env[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		env[name] = value
	}
	return env
}

func TestTokenDecision(t *testing.T) {
	t.Parallel()
	asks := &bundle.Metadata{IAM: &bundle.IAM{}}
	issue := func(context.Context, bundle.Plugin) (string, error) { return "t", nil }
	on := []string{ToggleServiceAccounts}
	for _, c := range []struct {
		metadata *bundle.Metadata
		options  Options
		want     bool
		reason   string
	}{
		{asks, Options{HostVersion: "10.3.0", Toggles: on, Token: issue}, true, "granted"},
		{asks, Options{HostVersion: "11.0.0", Toggles: on, Token: issue}, true, "granted"},
		{asks, Options{HostVersion: "10.2.9", Toggles: on, Token: issue}, false, "below 10.3.0"},
		{asks, Options{HostVersion: "10.3.0", Token: issue}, false, "toggle"},
		{asks, Options{HostVersion: "10.3.0", Toggles: on}, false, "issues no tokens"},
		{asks, Options{HostVersion: "banana", Toggles: on, Token: issue}, false, "not a semantic version"},
		{&bundle.Metadata{}, Options{HostVersion: "10.3.0", Toggles: on, Token: issue}, false, "not requested: plugin.json has no \"iam\""},
	} {
		got := decideToken(c.metadata, c.options)
		if got.Injected != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%+v: got %+v, want %t with a reason containing %q", c.options, got, c.want, c.reason)
		}
	}
}

func TestOutputNeverBlocksABackend(t *testing.T) {
	t.Parallel()
	// With the race detector, the host takes a while to read the log.
	_, p := mount(t, "ok", "", Options{Limits: Limits{Resource: time.Hour}})
	if got, err := fetch(t.Context(), p, "flood"); err != nil || got != "GET /flood" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestSwapDropsNothing(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	dir := p.Bundle().Dir
	ctx, cancel := context.WithCancel(t.Context())
	var failed, served atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ctx.Err() == nil {
				if _, err := fetch(t.Context(), p, "x?sleep=5ms"); err != nil {
					failed.Add(1)
					t.Error(err)
				}
				served.Add(1)
			}
		})
	}
	pids := map[int]bool{p.Status().PID: true}
	for i := range 3 {
		writeVersion(t, dir, fmt.Sprint("1.0.", i+1))
		reload(t, l)
		pids[p.Status().PID] = true
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	clients.Wait()
	if len(pids) != 4 || failed.Load() != 0 || served.Load() == 0 {
		t.Errorf("%d processes, %d of %d calls failed", len(pids), failed.Load(), served.Load())
	}
}

func TestAChangeThatDoesNotStartKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	dir := p.Bundle().Dir
	before := p.Status().PID
	executable := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	testkit.OK(t, os.Remove(executable), os.WriteFile(executable, []byte("#!/bin/sh\necho no >&2; exit 1\n"), 0o755))
	reload(t, l)
	reason := p.Status().Reason
	if !strings.Contains(reason, "the previous one keeps serving") {
		t.Errorf("reason %q", reason)
	}
	wantStatus(t, p, Status{State: StateRunning, PID: before, Reason: reason, Token: TokenDecision{Reason: `not requested: plugin.json has no "iam"`}})
	if _, err := fetch(t.Context(), p, "x"); err != nil {
		t.Error(err)
	}
	testkit.OK(t, os.RemoveAll(dir))
	reload(t, l)
	if _, still := l.Plugin("a"); still || p.Status().State != StateStopped {
		t.Errorf("the removed plugin is mounted (%t), with status %+v", still, p.Status())
	}
}

func TestLogsKeepLevelAndFields(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var out strings.Builder
	_, p := mount(t, "ok", "", Options{Logger: slog.New(slog.NewJSONHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(b)
	}), nil))})
	testkit.Must(fetch(t.Context(), p, "logged"))(t)
	for ; ; time.Sleep(5 * time.Millisecond) {
		mu.Lock()
		text := out.String()
		mu.Unlock()
		if strings.Contains(text, `"level":"WARN","msg":"answering","plugin":"a","path":"/logged"`) {
			return
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestCloseOfAProcessThatDoesNotRespond(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{DrainTimeout: 100 * time.Millisecond})
	pid := p.Status().PID
	signal(t, pid, syscall.SIGSTOP)
	testkit.OK(t, l.Close())
	if isAlive(pid) {
		t.Error("the process is still running")
	}
}

func TestAProcessThatDiesDuringASwapGetsNoRequest(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := writePlugin(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}, StartTimeout: 10 * time.Second, ReadyTimeout: time.Second})
	p := mustPlugin(t, l, "a")
	proc := p.current
	old := proc.PID()
	testkit.OK(t, os.RemoveAll(dir))
	writePlugin(t, root, "a", "hang", "")
	swapped := make(chan error, 1)
	go func() { swapped <- l.Reload(t.Context()) }()
	time.Sleep(300 * time.Millisecond)
	signal(t, old, syscall.SIGKILL)
	<-proc.Exited()
	var e *sdk.Error
	if _, err := fetch(t.Context(), p, "x"); !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable {
		t.Errorf("error %v", err)
	}
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if s := p.Status(); s.State != StateRestarting || s.PID != 0 {
		t.Errorf("got state %s and PID %d, want %s and 0; reason: %s", s.State, s.PID, StateRestarting, s.Reason)
	}
}

func TestPrivateDirectoriesAreRemoved(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	dir := p.Bundle().Dir
	for i := range 3 {
		writeVersion(t, dir, fmt.Sprint("2.0.", i))
		reload(t, l)
	}
	for ; ; time.Sleep(10 * time.Millisecond) {
		homes := testkit.Must(filepath.Glob(filepath.Join(l.runDir.path, "[0-9]*")))(t)
		if len(homes) == 1 {
			break
		}
	}
	testkit.OK(t, l.Close())
	if _, err := os.Stat(l.runDir.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind: %v", l.runDir.path, err)
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	pid := p.Status().PID
	testkit.OK(t, l.Close(), l.Close())
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("process %d was left behind: %v", pid, err)
		}
	}
}

// The error of a failed start quotes the panic, not the end of its stack.
func TestTailOfAPanic(t *testing.T) {
	t.Parallel()
	l := &logWriter{records: newRecords(slog.New(slog.DiscardHandler))}
	for _, line := range []string{"reading settings", "panic: no region", "", "goroutine 1 [running]:", "main.main()", "\t/a/main.go:7", "\t/b.go:1", "\t/c.go:1", "exit status 2"} {
		testkit.Must(fmt.Fprintln(l, line))(t)
	}
	if got := l.tail(); got != "reading settings | panic: no region (/a/main.go:7)" {
		t.Errorf("%q", got)
	}
}

// A run directory that was removed or replaced is made again under another name.
func TestRunDirIsReplaced(t *testing.T) {
	t.Parallel()
	l, p := mount(t, "ok", "", Options{})
	dir := p.Bundle().Dir
	for i, spoil := range []func(path string) error{
		os.RemoveAll,
		func(path string) error { return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o777)) },
	} {
		old := l.runDir.path
		testkit.OK(t, spoil(old))
		t.Cleanup(func() { _ = os.RemoveAll(old) })
		writeVersion(t, dir, fmt.Sprint("3.0.", i))
		pid := p.Status().PID
		reload(t, l)
		if s := p.Status(); s.State != StateRunning || s.PID == pid || s.Reason != "" || l.runDir.path == old {
			t.Errorf("status %+v with the run directory %s after %s", s, l.runDir.path, old)
		}
	}
}

// The directory of a host in another container, whose process id is unknown here, is
// kept as long as that host holds its lock.
func TestAbandonedRunDirs(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	used, unused, old := &runDir{base: base}, &runDir{base: base}, filepath.Join(base, runDirPrefix+"999999999-old")
	young := filepath.Join(base, runDirPrefix+"999999999-young") // it will have a lock in a moment
	testkit.OK(t, used.create(), unused.create(), os.Mkdir(old, 0o700), os.Mkdir(young, 0o700))
	t.Cleanup(func() { _ = used.lock.Close() })
	foreign := filepath.Join(base, runDirPrefix+"999999999-used") // no process has this id
	long := time.Now().Add(-2 * lockedWithin)
	testkit.OK(t, unused.lock.Close(), os.Rename(used.path, foreign),
		os.Chtimes(foreign, long, long), os.Chtimes(unused.path, long, long), os.Chtimes(old, long, long))
	removeAbandoned(base)
	left, err := filepath.Glob(filepath.Join(base, "*"))
	if diff := cmp.Diff([]string{foreign, young}, left); err != nil || diff != "" {
		t.Errorf("left (-want +got):\n%s%v", diff, err)
	}
}

// A token that is refused permanently is requested once.
func TestRefusedTokenIsNotRetried(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	_, p := mount(t, "ok", `,"iam":{"permissions":[{"action":"nonsense"}]}`, Options{HostVersion: "10.3.0", Toggles: []string{ToggleServiceAccounts},
		Token: func(context.Context, bundle.Plugin) (string, error) {
			asked.Add(1)
			return "", Permanent(errors.New("invalid action"))
		}})
	time.Sleep(3 * backoffFirst) // two more attempts
	if s := p.Status(); s.State != StateFailed || !strings.Contains(s.Reason, "invalid action") || asked.Load() != 1 {
		t.Errorf("status %+v after %d requests", s, asked.Load())
	}
}
