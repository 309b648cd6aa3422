//go:build e2e && unix

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const (
	pluginID = "acme-hello-datasource"
	password = "correct horse"
)

// script is what the steps share.
type script struct {
	slipway string // the command
	repo    string // the scaffolded plugin
}

// TestScript runs the steps in order; each needs the results of those before it.
func TestScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &script{slipway: slipwayCommand(t), repo: filepath.Join(dir, "one", pluginID)}
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"scaffold", s.scaffold},
		{"validate", s.validate},
		{"build", s.build},
		{"plugin", s.plugin},
		{"app", s.app},
		{"stop", s.stop},
	} {
		if !t.Run(step.name, step.run) {
			t.FailNow()
		}
	}
}

func (s *script) scaffold(t *testing.T) {
	for _, pluginType := range []string{"datasource", "panel"} {
		id := "acme-hello-" + pluginType
		run(t, 0, "", s.slipway, "scaffold", pluginType, id, "--dir", filepath.Join(filepath.Dir(s.repo), id))
	}
	run(t, 2, "", s.slipway, "scaffold", "datasource", pluginID, "--dir", s.repo)
	panel := filepath.Join(filepath.Dir(s.repo), "acme-hello-panel")
	run(t, 0, panel, "go", "tool", "mage", "build")
	run(t, 0, panel, "go", "tool", "mage", "validate", "-strict")
	if _, err := os.Stat(filepath.Join(panel, "dist", "module.js")); err != nil {
		t.Error(err)
	}
}

func (s *script) validate(t *testing.T) {
	run(t, 0, s.repo, "go", "tool", "mage", "validate", "-strict")
	goCommand(t, s.repo, "test", "-vet=off", "./...") // vet follows
	goCommand(t, s.repo, "vet", "./...")
	if out, err := exec.Command("gofmt", "-l", s.repo).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("gofmt would change %s (%v)", out, err)
	}
}

// damage breaks the plugin.json of a scaffold in four places, as the README does.
func damage(t *testing.T, text string) string {
	t.Helper()
	for good, bad := range map[string]string{
		`"version": "%VERSION%",`: "",
		`"backend": true`:         `"backend": "true"`,
		`"metrics": true,`:        `"metrics": true, "grants": [],`,
		`"large": "img/logo.svg"`: `"large": "../../x.svg"`,
	} {
		if strings.Count(text, good) != 1 {
			t.Fatalf("%q must occur once in\n%s", good, text)
		}
		text = strings.Replace(text, good, bad, 1)
	}
	return text
}

// position returns the line and column of a string that occurs once.
func position(t *testing.T, text, part string) string {
	t.Helper()
	before, _, ok := strings.Cut(text, part)
	if !ok {
		t.Fatalf("%q is not in\n%s", part, text)
	}
	return fmt.Sprintf("%d:%d", strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n'))
}

var platformList = flag.String("platforms", "all", "platforms to build for; all six take five minutes with an empty build cache")

// build builds in two directories. The executables must be for the platforms in their
// names, and the same in both.
func (s *script) build(t *testing.T) {
	platforms := testkit.Must(bundle.ParsePlatforms(*platformList))(t)
	if left := len(bundle.AllPlatforms()) - len(platforms); left > 0 {
		t.Logf("%d platforms are left out by -platforms=%s", left, *platformList)
	}
	other := filepath.Join(filepath.Dir(filepath.Dir(s.repo)), "two", pluginID)
	run(t, 0, "", s.slipway, "scaffold", "datasource", pluginID, "--dir", other)
	t.Log(run(t, 0, s.repo, "go", "tool", "mage", "build", "-platforms="+*platformList))
	run(t, 0, "", s.slipway, "build", "--dir", other, "--platforms="+*platformList)
	for _, p := range platforms {
		name := p.Executable("gpx_hello")
		one, two := readFile(t, filepath.Join(s.repo, "dist", name)), readFile(t, filepath.Join(other, "dist", name))
		if is, err := bundle.ExecutablePlatform(bytes.NewReader(one)); err != nil || is != p {
			t.Errorf("%s is for %s, want %s (%v)", name, is, p, err)
		}
		sum := sha256.Sum256(one)
		if sum != sha256.Sum256(two) {
			t.Errorf("%s differs between two directories", name)
		}
		t.Logf("%x %s", sum, name)
	}
	run(t, 0, s.repo, s.slipway, "validate", "--strict")
	started := time.Now()
	out := run(t, 0, s.repo, "go", "tool", "mage", "build", "-platforms="+*platformList)
	t.Logf("built again without changes in %s", time.Since(started).Round(time.Millisecond))
	if got := strings.Count(out, "up to date"); got != len(platforms) {
		t.Errorf("%d steps are up to date, want %d executables:\n%s", got, len(platforms), out)
	}
}

// app has an app list the playlists of the host with its own token. The host's own variables with the
// names of the token must not reach it.
func (s *script) app(t *testing.T) {
	const id = "acme-hello-app"
	repo := filepath.Join(filepath.Dir(s.repo), id)
	run(t, 0, "", s.slipway, "scaffold", "app", id, "--dir", repo)
	run(t, 0, repo, s.slipway, "build", "--platforms=host")
	h := s.start(t, []string{"SVC_PLUGIN_APP_CLIENT_SECRET=wrong", "GF_PLUGIN_APP_CLIENT_SECRET=wrong"},
		"host", "--plugins-dir", repo, "--feature-toggles=externalServiceAccounts")
	editor := h.token(t, "Editor")
	h.call(t, editor, 200, "POST", "/api/playlists", map[string]any{"name": "Lobby", "interval": "5m"})
	list := h.call(t, editor, 200, "GET", "/api/plugins/"+id+"/resources/playlists", nil).([]any)
	if len(list) != 1 || list[0].(map[string]any)["name"] != "Lobby" {
		t.Fatalf("playlists from the plugin: %v", list)
	}
	environ := testkit.ReadFile(t, fmt.Sprintf("/proc/%d/environ", h.backend(t)))
	if strings.Contains(environ, "=wrong") || !strings.Contains(environ, "SVC_PLUGIN_APP_CLIENT_SECRET=svcsa_") {
		t.Errorf("unexpected environment of the backend: %q", environ)
	}
	h.terminate(t)
}

// plugin calls the backend, kills it, and calls it again.
func (s *script) plugin(t *testing.T) {
	h := s.host(t)
	editor := h.token(t, "Editor")
	health := "/api/plugins/" + pluginID + "/health"
	expect(t, h.call(t, editor, 200, "GET", health, nil), `{"message":"the backend is running","status":"OK"}`)
	pid := h.backend(t)
	if environ := testkit.ReadFile(t, fmt.Sprintf("/proc/%d/environ", pid)); strings.Contains(environ, "CLIENT_SECRET") {
		t.Errorf("a plugin that asks for no token has one: %q", environ)
	}
	testkit.OK(t, syscall.Kill(pid, syscall.SIGKILL))
	killed := time.Now()
	for {
		if status, _ := h.do(t, editor, "GET", health, nil); status == 200 && h.backend(t) != pid {
			break
		}
	}
	t.Logf("the backend responds %s after kill -9", time.Since(killed).Round(time.Millisecond))
	status, _ := h.do(t, editor, "POST", "/api/ds/query", map[string]any{"queries": []any{
		map[string]any{"refId": "A", "datasource": map[string]any{"type": pluginID}, "points": 3},
		map[string]any{"refId": "B", "datasource": map[string]any{"type": "nope"}},
	}})
	if status != http.StatusMultiStatus {
		t.Errorf("one of two queries fails: got status %d, want %d", status, http.StatusMultiStatus)
	}
	h.terminate(t)
}

// stop ends the host with SIGTERM and with SIGKILL. No backend may be left behind.
func (s *script) stop(t *testing.T) {
	h := s.host(t)
	pid := h.backend(t)
	h.terminate(t)
	if isAlive(pid) {
		t.Error("the backend runs after SIGTERM to the host")
	}
	h = s.host(t)
	pid = h.backend(t)
	testkit.OK(t, h.cmd.Process.Kill())
	<-h.ended
	killed := time.Now()
	for isAlive(pid) {
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("the backend ended %s after SIGKILL to the host", time.Since(killed).Round(time.Millisecond))
}

func (s *script) host(t *testing.T, env ...string) *server {
	t.Helper()
	return s.start(t, env, "host", "--plugins-dir", s.repo, "--feature-toggles=externalServiceAccounts")
}

func (s *script) start(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	cmd := exec.Command(s.slipway, append(args, "--listen=127.0.0.1:0", "--data-dir", t.TempDir())...)
	cmd.Env = append(append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password), env...)
	return serve(t, cmd)
}

func expect(t *testing.T, got any, want string) {
	t.Helper()
	data := testkit.Must(json.Marshal(got))(t)
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
}

func isAlive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile(name))(t)
}

// run runs a command, requires its exit status, and returns its output.
func run(t *testing.T, want int, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		t.Fatalf("%s %s: %v, want status %d\n%s", filepath.Base(name), strings.Join(args, " "), err, want, out)
	}
	return string(out)
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	run(t, 0, dir, "go", args...)
}

// existingModule returns the directory of the programs that use Grafana's SDK.
func existingModule() string { return filepath.Join("..", "..", "testdata", "existing") }

// repeats returns how often a test repeats what happens at random moments: n times, or a
// fifth of that with -short.
func repeats(t *testing.T, n int) int {
	t.Helper()
	if testing.Short() {
		t.Logf("%d repetitions instead of %d because of -short", n/5, n)
		n /= 5
	}
	return n
}

// pluginPause is a pause between calls that leaves time for the plugins.
const pluginPause = 3 * time.Millisecond

// repeatedly calls f for each name, again and again with a pause before each call, until stop
// is called.
func repeatedly(names []string, pause time.Duration, f func(name string)) (stop func()) {
	done := make(chan bool)
	var running sync.WaitGroup
	for _, name := range names {
		running.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(pause):
				}
				f(name)
			}
		})
	}
	return func() {
		close(done)
		running.Wait()
	}
}

// rename replaces an executable atomically.
func rename(t *testing.T, name string, text []byte) {
	t.Helper()
	testkit.OK(t, os.WriteFile(name+".new", text, 0o755))
	testkit.OK(t, os.Rename(name+".new", name))
}

// npmInstall installs packages in a directory.
func npmInstall(t *testing.T, dir string, packages ...string) error {
	t.Helper()
	args := append([]string{"install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix=" + dir}, packages...)
	if out, err := exec.CommandContext(t.Context(), "npm", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", strings.Join(packages, " "), err, out)
	}
	return nil
}
