//go:build e2e && unix

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// development is a running "slipway dev" of a data source with a TypeScript frontend.
type development struct {
	*server
	slipway string
	repo    string
	calls   string // what dev wrote to try it
	edits   int

	seen   sync.Mutex
	events []string // announced: their names
}

// resourceSource adds a resource to the data source of a scaffold.
const resourceSource = `package main

import (
	"io"
	"net/http"
)

func (d *source) ServeHTTP(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") }
`

// TestDev edits a plugin under "slipway dev" as people and editors do.
func TestDev(t *testing.T) {
	dir := t.TempDir()
	d := &development{slipway: slipwayCommand(t), repo: filepath.Join(dir, pluginID)}
	run(t, 0, "", d.slipway, "scaffold", "datasource", pluginID, "--dir", d.repo)
	for _, old := range []string{"module.js", "module.ts", "module.tsx"} {
		_ = os.Remove(filepath.Join(d.repo, "src", old)) // whichever the scaffold has
	}
	d.write(t, "src/module.ts", "import { text } from './text';\nexport const plugin: string = text;\n")
	d.write(t, "src/text.ts", "export const text = 'the frontend is edit 0';\n")
	d.write(t, "pkg/resource.go", resourceSource)
	d.write(t, "src/img/asset.svg", "<svg><!-- the asset is edit 0 --></svg>\n")
	d.start(t, dir)
	failures, stop := d.load(t)
	for _, step := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"latency", d.latency},
		{"process", d.process},
		{"broken", d.broken},
		{"editors", d.editors},
		{"checkout", d.checkout},
		{"pairs", d.pairs},
		{"curl", d.curl},
	} {
		if !t.Run(step.name, step.run) {
			t.Logf("dev printed:\n%s", d.printed(0))
			break
		}
	}
	requests := stop()
	for _, f := range failures() {
		t.Error(f)
	}
	t.Logf("%d requests during all edits, %d of them failed", requests, len(failures()))
	d.terminate(t)
	t.Run("mage", d.mage)
}

// TestDevWithBundler edits a plugin whose own bundler writes to dist. The backend serves during the build that
// follows, and is killed after it. One edit makes the bundler run once.
func TestDevWithBundler(t *testing.T) {
	dir := t.TempDir()
	d := &development{slipway: slipwayCommand(t), repo: filepath.Join(dir, pluginID)}
	run(t, 0, "", d.slipway, "scaffold", "datasource", pluginID, "--dir", d.repo)
	runs, wait := filepath.Join(dir, "runs"), filepath.Join(dir, "wait")
	d.write(t, "slipway.yaml", "frontend:\n  command: echo >> "+runs+"; mkdir dist; while test -e "+wait+"; do sleep 0.1; done; cp src/module.ts dist/module.js\n")
	d.write(t, "src/module.ts", "define([], () => ({}));\n")
	d.start(t, dir)
	testkit.WriteFile(t, wait, "")
	d.write(t, "src/module.ts", "define([], () => ({ edited: true }));\n")
	for len(readFile(t, runs)) < 2 {
		time.Sleep(time.Millisecond)
	}
	pid := d.backend(t)
	testkit.OK(t, os.Remove(wait))
	d.await(t, 0, " is live, ")
	testkit.OK(t, syscall.Kill(pid, syscall.SIGKILL))
	for d.backend(t) == pid {
		time.Sleep(time.Millisecond)
	}
	if n := len(readFile(t, runs)); n != 2 {
		t.Errorf("the bundler ran %d times, want 2", n)
	}
	d.terminate(t)
}

// start starts dev and follows what it announces.
func (d *development) start(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command(d.slipway, "dev", "--dir", d.repo, "--listen=127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"))
	cmd.Env = append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	d.server = serve(t, cmd)
	d.await(t, 0, "watching ")
	if text := d.output(); strings.Contains(text, "msg=audit") {
		t.Errorf("audit records are in the way of what dev prints:\n%s", text)
	}
	d.calls = testkit.ReadFile(t, filepath.Join(dir, "data", "calls.sh"))
	d.credential = regexp.MustCompile(`TOKEN=(\S+)`).FindStringSubmatch(d.calls)[1]
	announced := d.follow(t)
	go func() {
		for e := range announced {
			d.seen.Lock()
			d.events = append(d.events, e.name)
			d.seen.Unlock()
		}
	}()
}

// load calls the backend continuously until stop is called, which returns the number of
// requests.
func (d *development) load(t *testing.T) (failures func() []string, stop func() int64) {
	var requests atomic.Int64
	var failed []string
	pause := 2 * time.Millisecond // leave time for the compiler
	if testing.Short() {
		pause = 10 * time.Millisecond
		t.Logf("a request each %s because of -short", pause)
	}
	end := repeatedly([]string{"/health", "/resources/list"}, pause, func(path string) {
		requests.Add(1)
		status, body, err := d.get("/api/plugins/" + pluginID + path)
		if err != nil || status != http.StatusOK {
			d.seen.Lock()
			failed = append(failed, fmt.Sprintf("%s: %d %s %v", path, status, body, err))
			d.seen.Unlock()
		}
	})
	return func() []string { return failed }, func() int64 {
		end()
		return requests.Load()
	}
}

// count returns how many lines dev has printed, and how many events it has announced.
func (d *development) count() (lines, events int) {
	d.mu.Lock()
	lines = len(d.lines)
	d.mu.Unlock()
	d.seen.Lock()
	defer d.seen.Unlock()
	return lines, len(d.events)
}

// awaitBody waits until a path has a string in its response.
func (d *development) awaitBody(t *testing.T, path, text string) {
	t.Helper()
	for {
		if _, body, err := d.get(path); err != nil {
			t.Fatal(err)
		} else if strings.Contains(body, text) {
			return
		}
		select {
		case <-d.ended:
			t.Fatalf("dev ended: %v\n%s", d.err, d.output())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (d *development) write(t *testing.T, name, text string) {
	t.Helper()
	testkit.WriteFile(t, filepath.Join(d.repo, filepath.FromSlash(name)), text)
}

// source is a file to edit. Each edit replaces a string, which a response then contains.
type source struct {
	part, file, path string
	text             *regexp.Regexp
	edited           func(n int) string
}

func sourcesOfPlugin() []source {
	public := "/public/plugins/" + pluginID
	edit := func(format string) func(int) string { return func(n int) string { return fmt.Sprintf(format, n) } }
	return []source{
		{"Go", "pkg/datasource.go", "/api/plugins/" + pluginID + "/health", regexp.MustCompile(`the backend is (running|edit \d+)`), edit("the backend is edit %d")},
		{"TypeScript", "src/text.ts", public + "/module.js", regexp.MustCompile(`the frontend is edit \d+`), edit("the frontend is edit %d")},
		{"asset", "src/img/asset.svg", public + "/img/asset.svg", regexp.MustCompile(`the asset is edit \d+`), edit("the asset is edit %d")},
		{"plugin.json", "src/plugin.json", "/api/plugins", regexp.MustCompile(`"name": "(Hello|Edit \d+)"`), edit(`"name": "Edit %d"`)},
	}
}

// next returns a source with its next edit, and what a response will contain.
func (d *development) next(t *testing.T, s source) (text, want string) {
	t.Helper()
	before := testkit.ReadFile(t, filepath.Join(d.repo, s.file))
	if !s.text.MatchString(before) {
		t.Fatalf("%s does not contain %s:\n%s", s.file, s.text, before)
	}
	d.edits++
	want = s.edited(d.edits)
	text = s.text.ReplaceAllLiteralString(before, want)
	return text, strings.ReplaceAll(want, `": "`, `":"`) // as JSON responses have it
}

var compiling = regexp.MustCompile(`compiling took (\d+\.\d+)s`)

// latency measures the time from a save to the first response that shows it.
func (d *development) latency(t *testing.T) {
	for _, s := range sourcesOfPlugin() {
		var took []time.Duration
		for range 9 {
			lines, _ := d.count()
			text, want := d.next(t, s)
			saved := time.Now()
			d.write(t, s.file, text)
			d.awaitBody(t, s.path, want)
			d1 := time.Since(saved)
			d.await(t, lines, " is live, ")
			if m := compiling.FindStringSubmatch(d.printed(lines)); m != nil {
				seconds := testkit.Must(strconv.ParseFloat(m[1], 64))(t)
				d1 -= time.Duration(seconds * float64(time.Second))
			} else if s.part == "Go" {
				t.Errorf("no compilation in %q", d.printed(lines))
			}
			took = append(took, d1.Round(time.Millisecond))
		}
		slices.Sort(took)
		t.Logf("%s: save to response, without compiling: median %s, slowest %s", s.part, took[len(took)/2], took[len(took)-1])
	}
}

// process requires that only a new executable replaces the process, and that only what
// changed is announced and rebuilt.
func (d *development) process(t *testing.T) {
	for _, s := range sourcesOfPlugin() {
		pid := d.backend(t)
		lines, events := d.count()
		text, want := d.next(t, s)
		d.write(t, s.file, text)
		d.awaitBody(t, s.path, want)
		d.await(t, lines, " is live, ")
		if isReplaced := d.backend(t) != pid; isReplaced != (s.part == "Go") {
			t.Errorf("%s: the process was replaced: %t", s.part, isReplaced)
		}
		part := map[string]string{"Go": "backend", "TypeScript": "frontend", "asset": "assets", "plugin.json": "metadata"}[s.part]
		if out := d.printed(lines); !strings.Contains(out, "("+part+")") {
			t.Errorf("%s: printed %s", s.part, out)
		}
		for _, n := d.count(); n == events; _, n = d.count() {
			time.Sleep(time.Millisecond)
		}
	}
	if failed := d.failures(); failed > 0 {
		t.Errorf("%d failures were announced", failed)
	}
}

// failures returns how many failures were announced.
func (d *development) failures() (n int) {
	d.seen.Lock()
	defer d.seen.Unlock()
	for _, name := range d.events {
		if name == "plugin-failed" {
			n++
		}
	}
	return n
}

// broken requires a code frame for each kind of error, and that the next good save fixes it.
func (d *development) broken(t *testing.T) {
	for _, c := range []struct{ file, good, bad, want string }{
		{"pkg/datasource.go", "sdk.HealthOK, ", "sdk.HealthNope, ", "error backend: undefined: sdk.HealthNope"},
		{"src/text.ts", "export const", "export konst", "error frontend: unexpected \"konst\""},
		{"src/module.ts", "'./text'", "'./nope'", "error frontend: cannot find \"./nope\""},
		{"src/plugin.json", `"backend": true`, `"backend": "yes"`, `error wrong-type: "backend" must be a boolean`},
		{"pkg/main.go", "func main() {", "func main() {\n\tpanic(\"broken\")", "the new build did not start; the previous one keeps serving"},
	} {
		lines, _ := d.count()
		failed := d.failures()
		text := testkit.ReadFile(t, filepath.Join(d.repo, c.file))
		if strings.Count(text, c.good) != 1 {
			t.Fatalf("%q must occur once in %s", c.good, c.file)
		}
		d.write(t, c.file, strings.Replace(text, c.good, c.bad, 1))
		d.await(t, lines, "the previous build keeps serving")
		if out := d.printed(lines); !strings.Contains(out, c.want) || c.file != "pkg/main.go" && !strings.Contains(out, " | ") {
			t.Errorf("%s: printed\n%s", c.file, out)
		}
		for d.failures() == failed {
			time.Sleep(time.Millisecond)
		}
		if status, body, err := d.get("/api/plugins/" + pluginID + "/health"); err != nil || status != http.StatusOK {
			t.Errorf("%s: health %d %s %v", c.file, status, body, err)
		}
		d.write(t, c.file, text)
		d.await(t, lines, "fixed: "+pluginID)
	}
}

// editors saves as editors do: by a rename, in pieces, and through a temporary file.
func (d *development) editors(t *testing.T) {
	lines, _ := d.count()
	for _, s := range sourcesOfPlugin() {
		file := filepath.Join(d.repo, s.file)
		for name, save := range map[string]func(text string){
			"rename": func(text string) {
				temporary := filepath.Join(filepath.Dir(file), "4913")
				testkit.WriteFile(t, temporary, "")
				testkit.WriteFile(t, file+".tmp.1234", text)
				testkit.OK(t, os.Rename(file+".tmp.1234", file))
				testkit.OK(t, os.Remove(temporary))
			},
			"pieces": func(text string) {
				f := testkit.Must(os.Create(file))(t)
				defer f.Close()
				for _, piece := range []string{text[:len(text)/2], text[len(text)/2:]} {
					time.Sleep(150 * time.Millisecond) // longer than dev waits before it builds
					testkit.Must(f.WriteString(piece))(t)
				}
			},
			"backup": func(text string) {
				testkit.OK(t, os.Rename(file, file+"~"))
				time.Sleep(100 * time.Millisecond)
				testkit.WriteFile(t, file, text)
				testkit.OK(t, os.Remove(file+"~"))
			},
		} {
			text, want := d.next(t, s)
			save(text)
			d.awaitBody(t, s.path, want)
			t.Logf("%s by %s", s.part, name)
		}
	}
	d.hasNoFailure(t, lines)
}

// hasNoFailure requires that dev has printed no failure since some lines, even after it has
// been quiet for longer than it holds one back.
func (d *development) hasNoFailure(t *testing.T, since int) {
	t.Helper()
	time.Sleep(1500 * time.Millisecond)
	if out := d.printed(since); strings.Contains(out, "error") || strings.Contains(out, "fixed") || strings.Contains(out, "not mounted") {
		t.Errorf("a failure was printed:\n%s", out)
	}
}

// checkout switches between branches that differ in hundreds of files.
func (d *development) checkout(t *testing.T) {
	lines, _ := d.count()
	git := func(args ...string) {
		t.Helper()
		run(t, 0, d.repo, "git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	}
	git("init", "-q", "-b", "one")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "two")
	imports := ""
	for i := range 300 {
		dir := fmt.Sprintf("src/many%d", i%10)
		testkit.OK(t, os.MkdirAll(filepath.Join(d.repo, dir), 0o755))
		d.write(t, fmt.Sprintf("%s/file%d.ts", dir, i), fmt.Sprintf("export const value = %d;\n", i))
		imports += fmt.Sprintf("import { value as v%d } from './many%d/file%d';\n", i, i%10, i)
	}
	d.write(t, "src/module.ts", imports+"export const plugin: string = 'branch two' + v7;\n")
	module := "/public/plugins/" + pluginID + "/module.js"
	d.awaitBody(t, module, "branch two")
	git("add", "-A")
	git("commit", "-q", "-m", "two")
	for range 3 {
		git("checkout", "-q", "one")
		d.awaitBody(t, module, "the frontend is edit")
		git("checkout", "-q", "two")
		d.awaitBody(t, module, "branch two")
	}
	git("checkout", "-q", "one")
	d.awaitBody(t, module, "the frontend is edit")
	d.hasNoFailure(t, lines)
}

// pairs saves twice in a row, 0 to 700 ms apart. The first save of every third pair does
// not compile.
func (d *development) pairs(t *testing.T) {
	lines, _ := d.count()
	failed := d.failures()
	list := sourcesOfPlugin()
	n := repeats(t, 50)
	for i := range n {
		first, second := list[i%len(list)], list[(i/len(list))%len(list)]
		text, want := d.next(t, first)
		if i%3 == 0 {
			d.write(t, first.file, text[:len(text)/2])
			second = first
		} else {
			d.write(t, first.file, text)
		}
		time.Sleep(time.Duration(i*700/(n-1)) * time.Millisecond)
		if i%3 != 0 && first.part != second.part {
			d.write(t, first.file, text)
			text, want = d.next(t, second)
		}
		d.write(t, second.file, text)
		d.awaitBody(t, second.path, want)
	}
	d.hasNoFailure(t, lines)
	if n := d.failures(); n > failed {
		t.Errorf("%d failures were announced", n-failed)
	}
}

// curl runs the commands that dev wrote.
func (d *development) curl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	n := 0
	for line := range strings.Lines(d.calls) {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, "curl ") {
			n++
			if out := run(t, 0, "", "sh", "-c", "TOKEN="+d.credential+"; "+command+" -sS --fail"); strings.Contains(out, `"error"`) {
				t.Errorf("%s\n%s", command, out)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d commands, want 2: health and query", n)
	}
}

// mage requires that SIGTERM to "go tool mage dev" ends the host and the backend.
func (d *development) mage(t *testing.T) {
	cmd := exec.Command("go", "tool", "mage", "dev", "-listen=127.0.0.1:0", "-dataDir="+t.TempDir())
	cmd.Dir, cmd.Env = d.repo, append(os.Environ(), "SLIPWAY_ADMIN_PASSWORD="+password)
	h := serve(t, cmd)
	h.await(t, 0, "watching ")
	pid := h.backend(t)
	testkit.OK(t, cmd.Process.Signal(syscall.SIGTERM))
	sent := time.Now()
	<-h.ended // with the last process that holds its output; Mage was ended by the signal
	for isAlive(pid) {
		time.Sleep(time.Millisecond)
	}
	t.Logf("host and backend ended %s after SIGTERM to Mage", time.Since(sent).Round(time.Millisecond))
}
