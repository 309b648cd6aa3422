//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const wineVariable = "SLIPWAY_E2E_WINE" // set by mage e2e -wine

// wine is a Windows of its own in a temporary directory.
type wine struct {
	program, prefix  string
	slipway, console string // .exe files
	repo             string // a data source that was built for Windows
}

// TestWine runs slipway.exe and a Windows backend under Wine. doc/windows.md lists what
// this cannot try.
func TestWine(t *testing.T) {
	if os.Getenv(wineVariable) == "" {
		t.Skip("Windows programs run only with the option -wine")
	}
	w := newWine(t)
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"processes", w.processes},
		{"scaffold", w.scaffold},
		{"validate", w.validate},
		{"package", w.pack},
		{"backend", w.backend},
		{"kill", w.kill},
	} {
		if !t.Run(step.name, step.run) {
			t.FailNow()
		}
	}
}

// newWine makes the prefix and the programs, or skips the test.
func newWine(t *testing.T) *wine {
	t.Helper()
	dir := t.TempDir()
	w := &wine{
		prefix: filepath.Join(dir, "prefix"), repo: filepath.Join(dir, pluginID),
		slipway: filepath.Join(dir, "slipway.exe"), console: filepath.Join(dir, "console.exe"),
	}
	for _, name := range []string{"wine64", "/usr/lib/wine/wine64"} { // Debian's wine64 is not on PATH
		if path, err := exec.LookPath(name); err == nil {
			w.program = path
		}
	}
	const compiler = "x86_64-w64-mingw32-gcc-win32"
	if _, err := exec.LookPath(compiler); w.program == "" || err != nil {
		t.Skip("Wine or " + compiler + " not found: install wine64 and gcc-mingw-w64-x86-64-win32")
	}
	root := testkit.Must(filepath.Abs(filepath.Join("..", "..")))(t)
	// Wine shows the directory / as drive Z.
	source := "-gcflags=github.com/slipway-dev/slipway/internal/version=-trimpath=" + root + "=>Z:" + root
	for out, args := range map[string][]string{filepath.Dir(w.slipway) + "/": {source, "../../cmd/..."}, w.console: {"./testdata/console"}} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-o", out}, args...)...)
		cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, text)
		}
	}
	run(t, 0, "", slipwayCommand(t), "scaffold", "datasource", pluginID, "--dir", w.repo)
	run(t, 0, "", slipwayCommand(t), "build", "--dir", w.repo, "--platforms=windows/amd64")
	t.Cleanup(func() { // the processes of Wine itself
		cmd := exec.Command("/usr/lib/wine/wineserver", "-k", "-w")
		cmd.Env = w.environ()
		if err := cmd.Run(); err != nil {
			t.Logf("end wineserver: %v", err)
		}
	})
	w.run(t, 0, "", "wineboot", "-i")
	run(t, 0, "", compiler, "-shared", "-o", filepath.Join(w.prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll"), "testdata/wine/prng.c", "-ladvapi32")
	return w
}

func (w *wine) environ() []string {
	return append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEDEBUG=-all", "SLIPWAY_ADMIN_PASSWORD="+password)
}

// run runs a Windows program, requires its exit status, and returns its output.
func (w *wine) run(t *testing.T, want int, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), w.program, args...)
	cmd.Dir, cmd.Env = dir, w.environ()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		t.Fatalf("%q: %v, want status %d\n%s", args, err, want, out)
	}
	return string(out)
}

// windowsPath returns the name that a file has under Wine.
func windowsPath(file string) string { return "Z:" + strings.ReplaceAll(file, "/", `\`) }

// processes runs the unit tests of process groups.
func (w *wine) processes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "process.exe")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-c", "-o", program, "../process")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, text)
	}
	t.Log(w.run(t, 0, "", program, "-test.v"))
}

func (w *wine) scaffold(t *testing.T) {
	const dir = `C:\work\acme-hello-panel`
	for _, d := range []string{dir, `..\acme-other-panel`} {
		w.run(t, 0, w.repo, w.slipway, "scaffold", "panel", "acme-hello-panel", "--dir", d)
		w.run(t, 0, w.repo, w.slipway, "validate", d)
	}
	w.run(t, 2, "", w.slipway, "scaffold", "panel", "acme-hello-panel", "--dir", strings.ToUpper(dir)) // the same directory
	for _, device := range []string{"NUL", "aux", "com1"} {
		w.run(t, 2, "", w.slipway, "scaffold", "panel", "acme-hello-panel", "--dir", `C:\work\`+device)
	}
	goMod := readFile(t, filepath.Join(w.prefix, "drive_c", "work", "acme-hello-panel", "go.mod"))
	if !bytes.Contains(goMod, []byte(`=> Z:\`)) {
		t.Errorf("go.mod does not replace Slipway with a directory on drive Z:\n%s", goMod)
	}
}

// validate fixes a plugin.json with line ends of Windows, which must stay.
func (w *wine) validate(t *testing.T) {
	file := filepath.Join(w.repo, "src", "plugin.json")
	good := readFile(t, file)
	crlf := bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n"))
	bad := bytes.Replace(crlf, []byte(`"backend": true`), []byte(`"backend": "true"`), 1)
	testkit.OK(t, os.WriteFile(file, bad, 0o644))
	w.run(t, 1, w.repo, w.slipway, "validate")
	for _, name := range []string{`src\plugin.json`, windowsPath(file), strings.ToLower(windowsPath(w.repo)) + `\src\PLUGIN.JSON`} {
		out := w.run(t, 1, w.repo, w.slipway, "validate", "--format=json", name)
		var report struct {
			Findings []struct {
				Rule         string
				Line, Column int
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Findings) != 1 {
			t.Fatalf("%s: %v in\n%s", name, err, out)
		}
		f := report.Findings[0]
		if got := fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Rule); got != position(t, string(bad), `"true"`)+" wrong-type" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	w.run(t, 0, w.repo, w.slipway, "validate", "--fix", `src\plugin.json`)
	if fixed := readFile(t, file); !bytes.Equal(fixed, crlf) {
		t.Errorf("fixed:\n%q\nwant:\n%q", fixed, crlf)
	}
	testkit.OK(t, os.WriteFile(file, good, 0o644))
}

// pack packs the plugin on both systems, which must produce the same files.
func (w *wine) pack(t *testing.T) {
	run(t, 0, w.repo, slipwayCommand(t), "package", "--out", "release")
	w.run(t, 0, w.repo, w.slipway, "package", "--out", `.\release-windows`)
	mode := regexp.MustCompile(` -[rwx-]{9} `) // which Windows does not have
	packed := func(dir string) string {
		return mode.ReplaceAllString(testkit.Tree(t, filepath.Join(w.repo, dir)), " ")
	}
	ours, windows := packed("release"), packed("release-windows")
	if ours != windows {
		t.Errorf("packed here:\n%s\npacked on Windows:\n%s", ours, windows)
	}
	zip := filepath.Join(w.repo, "release-windows", pluginID+"-0.1.0.zip")
	w.run(t, 0, "", w.slipway, "validate", windowsPath(zip))
	w.run(t, 0, "", w.slipway, "verify", windowsPath(zip))
	data := readFile(t, zip)
	data[len(data)/2] ^= 1
	testkit.OK(t, os.WriteFile(zip, data, 0o644))
	w.run(t, 1, "", w.slipway, "verify", windowsPath(zip))
}

// host starts a host on a console, which obeys the lines that are written to input.
func (w *wine) host(t *testing.T) (h *server, input io.Writer) {
	t.Helper()
	cmd := exec.Command(w.program, w.console, windowsPath(w.slipway), "host", "--plugins-dir", windowsPath(w.repo), "--listen=127.0.0.1:0", "--data-dir", `C:\data`)
	cmd.Env = w.environ()
	input = testkit.Must(cmd.StdinPipe())(t)
	return serve(t, cmd), input
}

func command(t *testing.T, input io.Writer, format string, args ...any) {
	t.Helper()
	testkit.Must(fmt.Fprintf(input, format+"\n", args...))(t)
}

const healthPath = "/api/plugins/" + pluginID + "/health"

// backend queries a backend, replaces its executable while it runs, kills it, and stops
// the host with Ctrl-C.
func (w *wine) backend(t *testing.T) {
	h, console := w.host(t)
	pid := h.backend(t)
	expect(t, h.call(t, "", 200, "GET", healthPath, nil), `{"message":"the backend is running","status":"OK"}`)
	h.call(t, "", 200, "POST", "/api/ds/query", map[string]any{"queries": []any{
		map[string]any{"refId": "A", "datasource": map[string]any{"type": pluginID}, "points": 3},
	}})
	source := filepath.Join(w.repo, "pkg", "datasource.go")
	text := bytes.Replace(readFile(t, source), []byte("the backend is running"), []byte("edited"), 1)
	testkit.OK(t, os.WriteFile(source, text, 0o644))
	written := time.Now()
	run(t, 0, "", slipwayCommand(t), "build", "--dir", w.repo, "--platforms=windows/amd64")
	w.awaitEdited(t, h, pid)
	t.Logf("the new executable responds %s after the build began", time.Since(written).Round(time.Millisecond))
	pid = h.backend(t)
	command(t, console, "kill %d", pid)
	w.awaitEdited(t, h, pid)
	command(t, console, "ctrl-c")
	if <-h.ended; h.err != nil {
		t.Errorf("after Ctrl-C: %v\n%s", h.err, h.output())
	}
	w.left(t)
}

// awaitEdited waits until the edited backend responds in a process other than the one with a
// PID.
func (w *wine) awaitEdited(t *testing.T, h *server, pid int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, health := h.do(t, "", "GET", healthPath, nil)
		if fields, ok := health.(map[string]any); status == 200 && ok && fields["message"] == "edited" && h.backend(t) != pid {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the new process does not respond: %d %v\n%s", status, health, h.output())
		}
	}
}

// kill kills the host. Its job object must end the backend, and the next host must remove
// what it left.
func (w *wine) kill(t *testing.T) {
	h, console := w.host(t)
	h.backend(t)
	command(t, console, "kill")
	<-h.ended
	for deadline := time.Now().Add(10 * time.Second); len(w.backends(t)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("backends run after the host was killed: %v", w.backends(t))
		}
	}
	for _, dir := range w.runDirs(t) { // a host leaves those of the last minute alone
		testkit.OK(t, os.Chtimes(dir, time.Time{}, time.Now().Add(-time.Hour)))
	}
	h, console = w.host(t)
	h.backend(t)
	command(t, console, "ctrl-c")
	if <-h.ended; h.err != nil {
		t.Errorf("after Ctrl-C: %v\n%s", h.err, h.output())
	}
	w.left(t)
}

// backends returns the backends that run in the prefix.
func (w *wine) backends(t *testing.T) (list []string) {
	t.Helper()
	for _, p := range processesOf(t, w.prefix) {
		if strings.Contains(p, "gpx_") {
			list = append(list, p)
		}
	}
	return list
}

// left requires that a host has left neither backends nor private directories.
func (w *wine) left(t *testing.T) {
	t.Helper()
	for _, p := range w.backends(t) {
		t.Errorf("%s still runs", p)
	}
	if dirs := w.runDirs(t); len(dirs) > 0 {
		t.Errorf("left behind: %q", dirs)
	}
}

// runDirs returns the private directories of hosts.
func (w *wine) runDirs(t *testing.T) []string {
	t.Helper()
	return testkit.Must(filepath.Glob(filepath.Join(w.prefix, "drive_c", "users", "*", "Temp", "slipway-*")))(t)
}
