//go:build e2e && linux

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const swapID = "acme-swap-datasource"

// swapping is a host that watches a directory with one plugin, whose executable the test
// replaces again and again.
type swapping struct {
	*server
	dir     string // of the plugin
	program []byte
	build   int
	events  <-chan announced

	reported atomic.Int64 // the build of the last plugin-ready
	requests atomic.Int64
	mu       sync.Mutex
	wrong    []string
	pids     map[int]bool
}

// TestSwaps replaces a plugin under load, and breaks it in between. No call may fail, and
// once a build is announced, no call may reach an older one.
func TestSwaps(t *testing.T) {
	root := t.TempDir()
	s := newSwapping(t, root)
	s.server = (&script{slipway: slipwayCommand(t)}).start(t, nil, "host", "--plugins-dir", root)
	s.credential = s.token(t, "Admin")
	s.backend(t)
	s.reported.Store(int64(s.build))
	s.events = s.follow(t)

	stop := s.load()
	var took []time.Duration
	for n := range repeats(t, 100) {
		if n%5 == 4 {
			s.breakBuild(t, n)
		}
		took = append(took, s.swap(t))
	}
	for want := int64(repeats(t, 20_000)); s.requests.Load() < want; {
		took = append(took, s.swap(t))
	}
	stop()
	for _, w := range s.wrong[:min(len(s.wrong), 10)] {
		t.Error(w)
	}
	t.Logf("%d requests during %d swaps: %d failed or were served by an older build", s.requests.Load(), len(took), len(s.wrong))
	logTimes(t, "file written to first response of the new build, under load", took)

	t.Run("save", s.save)
	t.Run("flat", s.flat)
	s.end(t)
	t.Logf("%d processes, none of them left", len(s.pids))
}

// end ends the host, which must leave no process behind.
func (s *swapping) end(t *testing.T) {
	t.Helper()
	s.terminate(t)
	for pid := range s.pids {
		if isAlive(pid) {
			t.Errorf("process %d was left behind", pid)
		}
	}
}

func logTimes(t *testing.T, what string, took []time.Duration) {
	t.Helper()
	slices.Sort(took)
	t.Logf("%s: median %s, p95 %s, slowest %s", what, took[len(took)/2].Round(time.Millisecond),
		took[len(took)*95/100].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
}

func (s *swapping) metadata(t *testing.T, name string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(s.dir, bundle.MetadataFile), fmt.Sprintf(`{"id":%q,"name":%q,"type":"datasource","backend":true,"executable":"gpx_swap","info":{"version":"1.0.0"}}`, swapID, name))
}

func (s *swapping) executable() string {
	return filepath.Join(s.dir, bundle.Host().Executable("gpx_swap"))
}

// newSwapping writes the plugin below a directory.
func newSwapping(t *testing.T, root string) *swapping {
	t.Helper()
	s := &swapping{dir: filepath.Join(root, swapID), pids: map[int]bool{}}
	testkit.OK(t, os.MkdirAll(s.dir, 0o755))
	s.program = readFile(t, ourPrograms(t)+"swap")
	s.metadata(t, "Swap")
	s.replace(t)
	return s
}

// replace writes the next build: alternately by a rename and in place, in two steps.
func (s *swapping) replace(t *testing.T) {
	t.Helper()
	s.build++
	text := slices.Concat(s.program, fmt.Appendf(nil, "#%d", s.build))
	if s.build%2 == 0 {
		rename(t, s.executable(), text)
		return
	}
	f := testkit.Must(os.OpenFile(s.executable(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755))(t)
	defer f.Close()
	half := len(text) / 2
	testkit.Must(f.Write(text[:half]))(t)
	time.Sleep(20 * time.Millisecond)
	testkit.Must(f.Write(text[half:]))(t)
}

// swap replaces the executable and returns the time from then to the first response of the
// new build. It returns once the host has announced the build.
func (s *swapping) swap(t *testing.T) time.Duration {
	t.Helper()
	s.replace(t)
	written := time.Now()
	for {
		if got, err := s.version(); err != nil {
			t.Fatal(err)
		} else if got == s.build {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	took := time.Since(written)
	e := s.outcome(t, "backend")
	for e.name == "plugin-failed" && (strings.Contains(e.Reason, "is incomplete") || strings.Contains(e.Reason, "changed during the copy")) {
		e = s.outcome(t, "backend") // on a busy machine, the pause between the two steps may be long
	}
	if e.name != "plugin-ready" {
		t.Errorf("after a build: %+v", e)
	}
	s.reported.Store(int64(s.build))
	s.pids[s.backend(t)] = true
	return took
}

// breakBuild writes builds that do not start, and requires that the process stays.
func (s *swapping) breakBuild(t *testing.T, n int) {
	t.Helper()
	pid := s.backend(t)
	text := s.program[:len(s.program)*(1+n%9)/10]
	if n%2 == 0 {
		text = []byte("#!/bin/sh\nexit 3\n")
	}
	rename(t, s.executable(), text)
	if e := s.outcome(t, "backend"); e.name != "plugin-failed" || !strings.Contains(e.Reason, "the previous one keeps serving") {
		t.Errorf("after a broken build: %+v", e)
	}
	if now := s.backend(t); now != pid {
		t.Errorf("after a broken build the process is %d, not %d", now, pid)
	}
}

// save changes an asset and plugin.json, and measures how long the host takes to announce
// that. The process must stay.
func (s *swapping) save(t *testing.T) {
	pid := s.backend(t)
	for _, part := range []string{"assets", "metadata"} {
		var took []time.Duration
		for n := range repeats(t, 50) {
			if part == "assets" {
				testkit.WriteFile(t, filepath.Join(s.dir, "logo.svg"), fmt.Sprintf("<svg><!-- %d --></svg>", n))
			} else {
				s.metadata(t, fmt.Sprint("Swap ", n))
			}
			saved := time.Now()
			if e := s.outcome(t, part); e.name != "plugin-ready" || !slices.Equal(e.Changed, []string{part}) {
				t.Fatalf("after a change of the %s: %+v", part, e)
			}
			took = append(took, time.Since(saved))
			if part == "metadata" {
				if got := fmt.Sprint(s.call(t, "", 200, "GET", "/api/plugins", nil)); !strings.Contains(got, fmt.Sprintf("name:Swap %d ", n)) {
					t.Errorf("plugins %s", got)
				}
			}
		}
		logTimes(t, "save of "+part+" to the announcement", took)
	}
	if now := s.backend(t); now != pid {
		t.Errorf("the process is %d, not %d", now, pid)
	}
}

// flat swaps without load and requires that the host does not grow.
func (s *swapping) flat(t *testing.T) {
	before := s.usage(t)
	var took []time.Duration
	for range repeats(t, 300) {
		took = append(took, s.swap(t))
	}
	after := s.usage(t)
	logTimes(t, "file written to first response of the new build, without load", took)
	t.Logf("before and after %d swaps: %+v and %+v", len(took), before, after)
	if after.goroutines > before.goroutines+10 || after.files > before.files+10 || after.memory > before.memory+30 {
		t.Errorf("the host grows: %+v, then %+v", before, after)
	}
}

// usage is what a process uses.
type usage struct {
	goroutines, files int
	memory            int // resident, in MB
}

// usage measures the host once the processes that it replaced have ended.
func (s *swapping) usage(t *testing.T) (u usage) {
	t.Helper()
	pid := s.cmd.Process.Pid
	for try := 0; ; try++ {
		children := testkit.Must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)))(t)
		var running []string
		for _, file := range children {
			text, _ := os.ReadFile(file) // the thread may have ended
			running = append(running, strings.Fields(string(text))...)
		}
		if len(running) == 1 { // the backend
			break
		}
		if try == 6000 {
			t.Fatalf("the host has the children %q, want 1", running)
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second) // pipes are read for a while after the end of a process
	files := testkit.Must(os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)))(t)
	u.files = len(files)
	number := func(pattern, text string) int {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s not found in\n%s", pattern, text)
		}
		return testkit.Must(strconv.Atoi(m[1]))(t)
	}
	u.memory = number(`VmRSS:\s+(\d+)`, testkit.ReadFile(t, fmt.Sprintf("/proc/%d/status", pid))) / 1000
	_, metrics, err := s.get("/metrics")
	if err != nil {
		t.Fatal(err)
	}
	u.goroutines = number(`go_goroutines (\d+)`, metrics)
	return u
}

// outcome returns the next event about a change to a part of the plugin. On a busy machine,
// the file that a rename moves may be announced before, as an asset.
func (s *swapping) outcome(t *testing.T, part string) announced {
	t.Helper()
	for {
		select {
		case e := <-s.events:
			if slices.Contains(e.Changed, part) {
				return e
			}
		case <-s.ended:
			t.Fatalf("the host ended: %v\n%s", s.err, s.output())
		}
	}
}

// load queries, calls resources and reads a stream until stop is called.
func (s *swapping) load() (stop func()) {
	kinds := []string{"query", "query", "resource", "resource", "stream"}
	return repeatedly(kinds, pluginPause, func(kind string) {
		least := s.reported.Load()
		s.requests.Add(1)
		if got, err := s.ask(kind); err != nil || int64(got) < least {
			s.mu.Lock()
			s.wrong = append(s.wrong, fmt.Sprintf("%s: build %d after build %d was announced: %v", kind, got, least, err))
			s.mu.Unlock()
		}
	})
}

// ask makes a call and returns the build that responds.
func (s *swapping) ask(kind string) (int, error) {
	switch kind {
	case "resource":
		return s.version()
	case "stream":
		_, text, err := s.get("/api/plugins/" + swapID + "/resources/stream")
		if err != nil {
			return 0, err
		}
		lines := strings.Fields(text)
		if len(lines) != 50 || lines[0] != lines[49] {
			return 0, fmt.Errorf("stream of %d lines: %s", len(lines), text)
		}
		return strconv.Atoi(lines[0])
	}
	_, text, err := s.send(s.credential, http.MethodPost, "/api/ds/query", `{"queries":[{"refId":"A","datasource":{"uid":"`+swapID+`","type":"`+swapID+`"}}],"from":"now-1h","to":"now"}`)
	if err != nil {
		return 0, err
	}
	m := regexp.MustCompile(`"values":\[\["(\d+)"\]\]`).FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("response %s", text)
	}
	return strconv.Atoi(m[1])
}

func (s *swapping) version() (int, error) {
	_, text, err := s.get("/api/plugins/" + swapID + "/resources/version")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}
