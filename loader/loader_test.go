//go:build unix

package loader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/sdk"
)

// TestMain makes the test binary double as a backend: started under the name
// gpx_<mode>_<os>_<arch> it behaves as the mode says.
func TestMain(m *testing.M) {
	name, isPlugin := strings.CutPrefix(filepath.Base(os.Args[0]), "gpx_")
	if !isPlugin {
		os.Exit(m.Run())
	}
	mode, _, _ := strings.Cut(name, "_")
	switch mode {
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot find my settings")
		os.Exit(3)
	case "hang":
		time.Sleep(time.Hour)
	case "noise":
		fmt.Println("hello from main")
		time.Sleep(time.Hour)
	}
	sdk.Serve(sdk.Plugin{
		CheckHealth: func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			details, err := json.Marshal(map[string]any{"pid": os.Getpid(), "env": os.Environ(), "mode": mode})
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine", Details: details}, err
		},
		Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if d, err := time.ParseDuration(r.URL.Query().Get("sleep")); err == nil {
				time.Sleep(d)
			}
			slog.WarnContext(r.Context(), "answering", "path", r.URL.Path)
			if r.URL.Path == "/flood" {
				for range 200 {
					fmt.Fprintln(os.Stderr, strings.Repeat("x", 100_000))
					fmt.Println(strings.Repeat("y", 100_000))
				}
			}
			fmt.Fprintf(w, "%s %s", r.Method, r.URL.Path)
		}),
	})
}

// plug writes a plugin folder whose backend is this test binary in a mode.
func plug(t *testing.T, root, id, mode, extra string) string {
	t.Helper()
	dir := filepath.Join(root, id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	metadata := fmt.Sprintf(`{"id":%q,"name":"x","type":"app","backend":true,"executable":"gpx_%s","info":{"version":"1.0.0"}%s}`, id, mode, extra)
	if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, bundle.Host().Executable("gpx_"+mode))
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, o Options) *Loader {
	t.Helper()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

func mustPlugin(t *testing.T, l *Loader, id string) *Plugin {
	t.Helper()
	p, ok := l.Plugin(id)
	if !ok {
		t.Fatalf("%s is not mounted; faults: %v", id, l.Faults())
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
	root := t.TempDir()
	plug(t, root, "a", "ok", "")
	p := mustPlugin(t, start(t, Options{Dirs: []string{root}}), "a")
	if got, err := fetch(t.Context(), p, "x/y"); err != nil || got != "GET /x/y" {
		t.Fatalf("got %q, %v", got, err)
	}
	victim, err := os.FindProcess(p.Status().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	for {
		_, err := fetch(t.Context(), p, "again?sleep=1ms")
		if err == nil && p.Status().PID != victim.Pid {
			break
		}
		if _, ok := errors.AsType[*sdk.Error](err); err != nil && !ok {
			t.Errorf("a request that the kill met got %v", err)
		}
		if time.Since(killed) > 10*time.Second {
			t.Fatalf("not back: %+v", p.Status())
		}
	}
	t.Logf("served again %s after the kill", time.Since(killed))
	if s := p.Status(); s.State != StateRunning || s.Restarts != 1 {
		t.Errorf("status %+v", s)
	}
}

func TestEnvironmentIsBuilt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plug(t, root, "with", "ok", `,"iam":{"permissions":[{"action":"playlists:read"}]}`)
	plug(t, root, "without", "ok", "")
	issued := func(_ context.Context, b bundle.Plugin) (string, error) { return "token of " + b.Metadata.ID, nil }
	o := Options{
		Dirs: []string{root}, HostVersion: "10.3.0", Toggles: []string{ToggleServiceAccounts}, AppURL: "http://127.0.0.1:1",
		Token:   issued,
		Environ: []string{"SVC_PLUGIN_APP_CLIENT_SECRET=wrong", "GF_PLUGIN_APP_CLIENT_SECRET=wrong", "SECRET=wrong", "TZ=UTC", "SVC_PLUGIN_PROFILING_ENABLED=true", "SVC_PLUGIN_OTHER=wrong"},
	}
	l := start(t, o)
	for id, want := range map[string]string{"with": "token of with", "without": ""} {
		env := environmentOf(t, mustPlugin(t, l, id))
		for _, name := range []string{"SVC_PLUGIN_APP_CLIENT_SECRET", "GF_PLUGIN_APP_CLIENT_SECRET"} {
			if env[name] != want {
				t.Errorf("%s: %s=%q, want %q", id, name, env[name], want)
			}
		}
		if _, leaked := env["SECRET"]; leaked || env["TZ"] != "UTC" || env["SVC_APP_URL"] != o.AppURL || env["GF_APP_URL"] != o.AppURL ||
			env["SVC_PLUGIN_PROFILING_ENABLED"] != "true" || env["GF_PLUGIN_PROFILING_ENABLED"] != "true" || env["SVC_PLUGIN_OTHER"] != "" {
			t.Errorf("%s: environment %v", id, env)
		}
	}
	if s := mustPlugin(t, l, "with").Status(); !s.Token.Injected {
		t.Errorf("status %+v", s)
	}
}

func environmentOf(t *testing.T, p *Plugin) map[string]string {
	t.Helper()
	r, err := p.CheckHealth(t.Context(), &sdk.CheckHealthRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var details struct{ Env []string }
	if err := json.Unmarshal(r.Details, &details); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for _, e := range details.Env {
		name, value, _ := strings.Cut(e, "=")
		if _, twice := env[name]; twice {
			t.Errorf("%s is there twice", name)
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
		{&bundle.Metadata{}, Options{HostVersion: "10.3.0", Toggles: on, Token: issue}, false, "no \"iam\""},
	} {
		got := decideToken(c.metadata, c.options)
		if got.Injected != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%+v: %+v", c.options, got)
		}
	}
}

func TestFaultsStayWithTheirPlugin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, mode := range []string{"ok", "crash", "noise", "hang"} {
		plug(t, root, mode, mode, "")
	}
	bare := filepath.Join(root, "bare")
	if err := os.MkdirAll(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bare, bundle.MetadataFile), []byte(`{"id":"bare","type":"app","backend":true,"executable":"gpx_bare"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	l := start(t, Options{Dirs: []string{root}, StartTimeout: 2 * time.Second, ReadyTimeout: 100 * time.Millisecond})
	for id, want := range map[string]struct {
		state  State
		reason string
	}{
		"ok":    {StateRunning, ""},
		"crash": {StateRestarting, "cannot find my settings"},
		"noise": {StateRestarting, `"hello from main"`},
		"hang":  {StateRestarting, "start timeout"},
		"bare":  {StateFailed, "is missing"},
	} {
		p := mustPlugin(t, l, id)
		if s := p.Status(); s.State != want.state || !strings.Contains(s.Reason, want.reason) {
			t.Errorf("%s: %+v", id, s)
		}
		_, err := fetch(t.Context(), p, "x")
		if want.state == StateRunning {
			if err != nil {
				t.Errorf("%s: %v", id, err)
			}
			continue
		}
		var e *sdk.Error
		if !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: error %v", id, err)
		}
	}
}

func TestOutputNeverBlocksABackend(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plug(t, root, "a", "ok", "")
	p := mustPlugin(t, start(t, Options{Dirs: []string{root}}), "a")
	if got, err := fetch(t.Context(), p, "flood"); err != nil || got != "GET /flood" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestSwapDropsNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "a")
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
		metadata := fmt.Sprintf(`{"id":"a","name":"x","type":"app","backend":true,"executable":"gpx_ok","info":{"version":"1.0.%d"}}`, i+1)
		if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := l.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		pids[p.Status().PID] = true
		time.Sleep(50 * time.Millisecond)
	}
	cancel()
	clients.Wait()
	if len(pids) != 4 || failed.Load() != 0 || served.Load() == 0 {
		t.Errorf("%d processes, %d of %d requests failed", len(pids), failed.Load(), served.Load())
	}
}

func TestAChangeThatDoesNotStartKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	p := mustPlugin(t, l, "a")
	before := p.Status().PID
	program := filepath.Join(dir, bundle.Host().Executable("gpx_ok"))
	if err := errors.Join(os.Remove(program), os.WriteFile(program, []byte("#!/bin/sh\necho no >&2; exit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := p.Status()
	if s.State != StateRunning || s.PID != before || !strings.Contains(s.Reason, "previous one still runs") {
		t.Errorf("status %+v", s)
	}
	if _, err := fetch(t.Context(), p, "x"); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, still := l.Plugin("a"); still || p.Status().State != StateStopped {
		t.Errorf("the removed plugin is %+v", p.Status())
	}
}

func TestLogsKeepLevelAndFields(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plug(t, root, "a", "ok", "")
	var mu sync.Mutex
	var out strings.Builder
	l := start(t, Options{Dirs: []string{root}, Logger: slog.New(slog.NewJSONHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(b)
	}), nil))})
	if _, err := fetch(t.Context(), mustPlugin(t, l, "a"), "logged"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		mu.Lock()
		text := out.String()
		mu.Unlock()
		if strings.Contains(text, `"level":"WARN","msg":"answering","plugin":"a","path":"/logged"`) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not in the log:\n%s", text)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestLogLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := newLogs(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	_, _ = io.WriteString(l, "{\"@level\":\"debug\",\"@mess")
	_, _ = io.WriteString(l, "age\":\"split\",\"n\":1}\nplain\n\npanic: oh\ngoroutine 1\n")
	_, _ = io.WriteString(l, strings.Repeat("z", maxLogLine+5)+"\nafter\n")
	want := "level=DEBUG msg=split n=1\nlevel=WARN msg=plain\nlevel=ERROR msg=\"panic: oh\"\nlevel=ERROR msg=\"goroutine 1\"\nlevel=ERROR msg=" +
		strings.Repeat("z", maxLogLine) + " cut=true\nlevel=ERROR msg=after\n"
	if got := out.String(); got != want {
		t.Errorf("got %d bytes, %.200s", len(got), got)
	}
}

func TestCloseOfAProcessThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}, DrainTimeout: 100 * time.Millisecond})
	pid := mustPlugin(t, l, "a").Status().PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	closing := time.Now()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(closing); took > 5*time.Second || isAlive(pid) {
		t.Errorf("closing took %s, process alive %t", took, isAlive(pid))
	}
}

func TestAnUpdateEndsAStartThatHangs(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := plug(t, root, "a", "hang", "")
	l := start(t, Options{Dirs: []string{filepath.Join(root, "none")}, StartTimeout: time.Minute})
	l.options.Dirs = []string{root}
	hung := make(chan error, 1)
	go func() { hung <- l.Reload(t.Context()) }()
	for {
		if p, ok := l.Plugin("a"); ok && p.Status().State == StateStarting {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(200 * time.Millisecond)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	plug(t, root, "a", "ok", "")
	mended := time.Now()
	p := mustPlugin(t, l, "a")
	plugins, _ := bundle.Discover(root)
	p.update(plugins[0])
	if got, err := fetch(t.Context(), p, "x"); err != nil || got != "GET /x" {
		t.Errorf("got %q, %v; %+v", got, err, p.Status())
	}
	if took := time.Since(mended); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	if err := <-hung; err != nil {
		t.Error(err)
	}
}

func TestAProcessThatDiesDuringASwapIsOutOfReach(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}, StartTimeout: 2 * time.Second, ReadyTimeout: 100 * time.Millisecond})
	p := mustPlugin(t, l, "a")
	old, err := os.FindProcess(p.Status().PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	plug(t, root, "a", "hang", "")
	swapped := make(chan error, 1)
	go func() { swapped <- l.Reload(t.Context()) }()
	time.Sleep(300 * time.Millisecond)
	if err := old.Kill(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	var e *sdk.Error
	if _, err := fetch(t.Context(), p, "x"); !errors.As(err, &e) || e.Status != http.StatusServiceUnavailable {
		t.Errorf("error %v", err)
	}
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if s := p.Status(); s.State != StateRestarting || s.PID != 0 {
		t.Errorf("status %+v", s)
	}
}

func TestPrivateFoldersAreRemoved(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	for i := range 3 {
		metadata := fmt.Sprintf(`{"id":"a","name":"x","type":"app","backend":true,"executable":"gpx_ok","info":{"version":"2.0.%d"}}`, i)
		if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := l.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		homes, err := os.ReadDir(l.runDir)
		if err != nil {
			t.Fatal(err)
		}
		if len(homes) == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d private folders for one process", len(homes))
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.runDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", l.runDir, err)
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plug(t, root, "a", "ok", "")
	l := start(t, Options{Dirs: []string{root}})
	pid := mustPlugin(t, l, "a").Status().PID
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

// The reason of a failed start quotes the panic and not the end of its stack.
func TestLastWordsOfAPanic(t *testing.T) {
	t.Parallel()
	l := newLogs(slog.New(slog.DiscardHandler))
	for _, line := range []string{"reading settings", "panic: no region", "", "goroutine 1 [running]:", "main.main()", "\t/a/main.go:7", "\t/b.go:1", "\t/c.go:1", "exit status 2"} {
		if _, err := fmt.Fprintln(l, line); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.tail(); got != "reading settings | panic: no region" {
		t.Errorf("%q", got)
	}
}
