//go:build e2e && linux

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/loader"
)

// foreignVariable is the environment variable with a directory of plugins of other authors,
// each with its executable for this platform.
const foreignVariable = "SLIPWAY_FOREIGN"

const (
	foreignSwaps = 10
	foreignKills = 3 // fewer than make a crash loop
)

// TestForeign mounts plugins of other authors, one at a time, and replaces and kills their
// processes while it calls them. It prints one line for each.
func TestForeign(t *testing.T) {
	from := os.Getenv(foreignVariable)
	if from == "" {
		t.Skipf("%s is not set: set it to a directory of plugins with executables for this platform", foreignVariable)
	}
	found, faults := bundle.Discover(from)
	for _, f := range faults {
		t.Errorf("%s: %s", f.Path, f.Reason)
	}
	if len(found) == 0 {
		t.Fatalf("no plugins in %s", from)
	}
	for _, p := range found {
		t.Run(p.Metadata.ID, func(t *testing.T) { testForeign(t, p) })
	}
}

// foreign is a host that serves one plugin of another author.
type foreign struct {
	swapping
	bodies   map[string]string // bodies by path; "" for GET
	expected map[string]string // results by path, see ask
}

func testForeign(t *testing.T, p bundle.Plugin) {
	if _, err := loader.Executable(p); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	f := &foreign{swapping: swapping{dir: filepath.Join(root, "plugin"), pids: map[int]bool{}}, expected: map[string]string{}}
	if err := os.CopyFS(f.dir, os.DirFS(p.Dir)); err != nil {
		t.Fatal(err)
	}
	executable := filepath.Join(f.dir, bundle.Host().Executable(p.Metadata.Executable))
	program := readFile(t, executable)
	f.server = (&script{slipway: slipwayCommand(t)}).start(t, nil, "host", "--plugins-dir", root)
	f.credential = f.token(t, "Admin")
	pid := f.backend(t)
	f.pids[pid] = true
	health := "/api/plugins/" + p.Metadata.ID + "/health"
	f.bodies = map[string]string{health: ""}
	if p.Metadata.Type == bundle.TypeDatasource {
		f.bodies["/api/ds/query"] = fmt.Sprintf(`{"queries":[{"refId":"A","datasource":{"uid":%[1]q,"type":%[1]q}}],"from":"now-1h","to":"now"}`, p.Metadata.ID)
	}
	for path := range f.bodies {
		result, text := f.ask(path)
		f.expected[path] = result
		t.Logf("%s: %s: %.200s", path, result, text)
		if result != "health" && result != "status 200" && result != "status 207" {
			t.Errorf("%s: the backend did not respond", path)
		}
	}

	stop := f.load()
	var swaps, kills []time.Duration
	for n := range foreignSwaps {
		rename(t, executable, fmt.Appendf(program[:len(program):len(program)], "#%d", n))
		written := time.Now()
		pid = f.other(t, pid)
		swaps = append(swaps, time.Since(written))
	}
	stop()
	for _, w := range f.wrong[:min(len(f.wrong), 5)] {
		t.Error(w)
	}
	t.Logf("%d calls during %d swaps, %d of them with another result", f.requests.Load(), len(swaps), len(f.wrong))
	logTimes(t, "swaps", swaps)

	stop = f.load() // calls in progress fail
	for range foreignKills {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		pid = f.other(t, pid)
		for result := ""; result != f.expected[health]; {
			result, _ = f.ask(health)
		}
		kills = append(kills, time.Since(killed))
	}
	stop()
	logTimes(t, "killed to the next response", kills)
	for path := range f.bodies {
		if result, text := f.ask(path); result != f.expected[path] {
			t.Errorf("after the kills, %s: %s: %.200s", path, result, text)
		}
	}
	f.end(t)
}

// ask makes a call. The result is "health" if the backend reports its health, which may be
// bad without settings and at random, and otherwise the status of the response.
func (f *foreign) ask(path string) (result, text string) {
	method, body := http.MethodGet, f.bodies[path]
	if body != "" {
		method = http.MethodPost
	}
	status, text, err := f.send(f.credential, method, path, body)
	switch {
	case status == 0:
		return "error", err.Error()
	case body == "" && regexp.MustCompile(`"status":"(OK|ERROR|UNKNOWN)"`).MatchString(text):
		return "health", text
	}
	return fmt.Sprint("status ", status), text
}

// other waits for a running process other than the one with a PID.
func (f *foreign) other(t *testing.T, pid int) int {
	t.Helper()
	for {
		if now := f.backend(t); now != pid {
			f.pids[now] = true
			return now
		}
		time.Sleep(time.Millisecond)
	}
}

// load makes calls until stop is called, and notes those with an unexpected result.
func (f *foreign) load() (stop func()) {
	paths := slices.Repeat(slices.Collect(maps.Keys(f.bodies)), 3)
	return repeatedly(paths, pluginPause, func(path string) {
		f.requests.Add(1)
		if result, text := f.ask(path); result != f.expected[path] {
			f.mu.Lock()
			f.wrong = append(f.wrong, fmt.Sprintf("%s: %s: %.200s", path, result, text))
			f.mu.Unlock()
		}
	})
}
