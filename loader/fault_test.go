//go:build unix

package loader

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goplugin "github.com/hashicorp/go-plugin"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
)

// serveFaulty behaves as a backend that never serves, if the mode is one of those.
func serveFaulty(mode string) {
	handshake := map[string]string{
		"oldprotocol": "1|99|unix|/nonexistent|grpc",
		"netrpc":      "1|2|unix|/nonexistent|netrpc",
		"badaddress":  "1|2|unix|/nonexistent|grpc",
	}
	if line, ok := handshake[mode]; ok {
		fmt.Println(line)
		time.Sleep(time.Hour)
	}
	switch mode {
	case "foreign":
		goplugin.Serve(&goplugin.ServeConfig{HandshakeConfig: goplugin.HandshakeConfig{ProtocolVersion: 2, MagicCookieKey: "OTHER_PROGRAM", MagicCookieValue: "x"}})
	case "panicstart":
		fmt.Fprintln(os.Stderr, "\x1b[31mreading settings")
		panic("no region")
	case "killstart":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}

// unhealthy returns the result of the health check of an unhealthy mode.
func unhealthy(mode string) (*sdk.CheckHealthResult, error) {
	switch mode {
	case "sick":
		return &sdk.CheckHealthResult{Status: sdk.HealthError, Message: "no \x1b[31mupstream"}, nil
	case "sickerror":
		panic("no settings")
	case "sickslow":
		time.Sleep(time.Hour)
	}
	return nil, nil
}

// setTo sets a field whose type depends on the system.
func setTo[T int64 | uint64](field *T, value uint64) { *field = T(value) }

// failOn ends the process, or the call, if the path of a resource demands it.
func failOn(path string) {
	switch path {
	case "/exit":
		os.Exit(4)
	case "/kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "/panic":
		panic("no such region")
	case "/panic-outside":
		go panic("no worker")
		time.Sleep(time.Hour)
	case "/complain":
		_, _ = syscall.Write(2, []byte("accept: too many open files\n")) // os.Stderr is redirected
	case "/fill":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 8<<20))
			runtime.KeepAlive(all)
		}
	case "/memory":
		// With less than what is in use, the runtime cannot even start a thread, and may hang instead of ending the process.
		var pages uint64
		used, _ := os.ReadFile("/proc/self/statm")
		_, _ = fmt.Sscan(string(used), &pages)
		most := pages*uint64(os.Getpagesize()) + 256<<20
		var limit syscall.Rlimit
		setTo(&limit.Cur, most)
		setTo(&limit.Max, most)
		_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<30))
			runtime.KeepAlive(all)
		}
	}
}

// seed is a plugin with one fault.
type seed struct {
	code    bundle.FaultCode
	write   func(t *testing.T, root string)
	options func(root string, o *Options)
	after   func(t *testing.T, l *Loader) // provokes the fault; nil if Reload does

	isPrivileged bool   // the user that runs the host could still read the files
	want         string // part of the reason
	place        string // "line:column"
	stderr       string // part of the last lines
	skip         string // why the fault cannot be provoked here
}

// complete returns a plugin.json with all required keys.
func complete(id, mode, extra string) string {
	if !strings.Contains(extra, `"dependencies"`) {
		extra += `,"dependencies":{"serviceDependency":">=9.0.0"}`
	}
	if mode != "" {
		extra += fmt.Sprintf(`,"backend":true,"executable":"gpx_%s"`, mode)
	}
	return fmt.Sprintf(`{"id":%q,"name":"x","type":"app","info":{"version":"1.0.0","updated":"2026-01-01","keywords":[],"logos":{"small":"a.svg","large":"a.svg"}}%s}`, id, extra)
}

// plugin returns a function that writes a plugin with a backend in a mode, if not "".
func plugin(id, mode, extra string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		testkit.WriteFile(t, filepath.Join(root, id, bundle.MetadataFile), complete(id, mode, extra))
		if mode == "" {
			return
		}
		self := testkit.Must(os.Executable())(t)
		testkit.OK(t, os.Symlink(self, executableOf(root, id, mode)))
	}
}

func executableOf(root, id, mode string) string {
	return filepath.Join(root, id, bundle.Host().Executable("gpx_"+mode))
}

// program returns a function that writes a plugin whose executable has the contents.
func program(content []byte, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		testkit.WriteFile(t, filepath.Join(root, "a", bundle.MetadataFile), complete("a", "x", ""))
		testkit.OK(t, os.WriteFile(executableOf(root, "a", "x"), content, mode))
	}
}

func all(writes ...func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		for _, write := range writes {
			write(t, root)
		}
	}
}

func file(name, content string) func(*testing.T, string) {
	return func(t *testing.T, root string) { t.Helper(); testkit.WriteFile(t, filepath.Join(root, name), content) }
}

func link(name, target string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		testkit.OK(t, os.Symlink(target, filepath.Join(root, name)))
	}
}

// growing makes the executable of program large and writes to it all the time.
func growing(t *testing.T, root string) {
	t.Helper()
	f, err := os.OpenFile(executableOf(root, "a", "x"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		err = f.Truncate(32 << 20)
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	var writing sync.WaitGroup
	writing.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				_, _ = f.WriteString("#")
			}
		}
	})
	t.Cleanup(func() {
		close(done)
		writing.Wait()
		_ = f.Close()
	})
}

func chmod(name string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		t.Helper()
		testkit.OK(t, os.Chmod(filepath.Join(root, name), mode))
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, name), 0o755) })
	}
}

// call returns a function that calls a resource of the plugin, which fails.
func call(path string) func(*testing.T, *Loader) {
	return func(t *testing.T, l *Loader) {
		t.Helper()
		if _, err := fetch(t.Context(), mustPlugin(t, l, "a"), path); err == nil {
			t.Errorf("the call of %s succeeded", path)
		}
	}
}

func health(t *testing.T, l *Loader) {
	t.Helper()
	_, _ = mustPlugin(t, l, "a").CheckHealth(t.Context(), &sdk.CheckHealthRequest{})
}

// foreignELF returns the header of an executable for another architecture.
func foreignELF() []byte {
	header := make([]byte, 64)
	copy(header, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(header[16:], 2) // ET_EXEC
	machine := uint16(183)                        // EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine = 62 // EM_X86_64
	}
	binary.LittleEndian.PutUint16(header[18:], machine)
	binary.LittleEndian.PutUint32(header[20:], 1)
	binary.LittleEndian.PutUint16(header[52:], 64)
	return header
}

// withoutLibrary writes a plugin whose executable is linked to a library that is removed.
func withoutLibrary(t *testing.T, root string) {
	t.Helper()
	program(nil, 0o755)(t, root)
	source := t.TempDir()
	testkit.WriteFile(t, filepath.Join(source, "lib.c"), "int region(void) { return 0; }")
	testkit.WriteFile(t, filepath.Join(source, "main.c"), "int region(void); int main(void) { return region(); }")
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", "libregion.so", "lib.c"},
		{"-o", executableOf(root, "a", "x"), "main.c", "-L.", "-lregion"},
	} {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = source
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
}

func seeds(t *testing.T) []seed {
	t.Helper()
	requires := func(item string) string {
		return `,"dependencies":{"serviceDependency":">=9.0.0","plugins":[` + item + `]}`
	}
	quick := func(_ string, o *Options) { o.StartTimeout = 3 * time.Second }
	token := func(issue func(root string) error) func(string, *Options) {
		return func(root string, o *Options) {
			o.Toggles = []string{ToggleServiceAccounts}
			o.Token = func(context.Context, bundle.Plugin) (string, error) { return "t", issue(root) }
		}
	}
	noCompiler := ""
	if _, err := exec.LookPath("gcc"); err != nil {
		noCompiler = err.Error()
	}
	noLimit := ""
	if runtime.GOOS != "linux" {
		noLimit = "the address space cannot be limited"
	}
	return []seed{
		{code: bundle.FaultMissingRoot, write: func(*testing.T, string) {}, options: func(root string, o *Options) { o.Dirs = []string{filepath.Join(root, "none")} }},
		{code: bundle.FaultUnreadable, write: all(plugin("a", "", ""), chmod("a", 0)), isPrivileged: true, want: "permission denied"},
		{code: bundle.FaultTooDeep, write: file(strings.Repeat("d/", 40)+"x", "")},
		{code: bundle.FaultLink, write: link("gone", "nowhere")},
		{code: bundle.FaultLinkOutside, write: all(file("in/a/plugin.json", complete("a", "", "")), plugin("out", "", ""), link("in/a/b", "../../out")), options: func(root string, o *Options) { o.Dirs = []string{filepath.Join(root, "in")} }},
		{code: bundle.FaultUnbuilt, write: all(plugin("a", "", ""), file("a/dist/module.js", ""))},
		{code: bundle.FaultDuplicateID, write: all(plugin("a", "", ""), file("b/plugin.json", complete("a", "", "")))},
		{code: bundle.FaultUnreadFile, write: all(plugin("a", "", ""), chmod("a/plugin.json", 0)), isPrivileged: true},
		{code: bundle.FaultTooLarge, write: file("a/plugin.json", strings.Repeat(" ", 2<<20))},
		{code: bundle.FaultInvalidJSON, write: file("a/plugin.json", "{\n  \"id\" \"a\"\n}"), place: "2:7"},
		{code: bundle.FaultInvalidValue, write: file("a/plugin.json", "{\n  \"id\": 7\n}"), place: "2:9", want: "id must be a string"},
		{code: bundle.FaultMissingID, write: file("a/plugin.json", "{}")},
		{code: bundle.FaultInvalidID, write: file("a/plugin.json", `{"id":"../a"}`), place: "1:7"},
		{code: bundle.FaultUnknownType, write: file("a/plugin.json", `{"id":"a","type":"clock"}`), place: "1:18"},
		{code: bundle.FaultIncomplete, write: file("a/plugin.json", `{"id":"a","type":"panel"}`), want: "missing name, info, dependencies"},
		{code: bundle.FaultServiceRange, write: plugin("a", "", `,"dependencies":{"serviceDependency":">=99.0.0"}`), want: ">=99.0.0"},
		{code: bundle.FaultInvalidRange, write: plugin("a", "", `,"dependencies":{"serviceDependency":"newest"}`)},
		{code: bundle.FaultDependencyMissing, write: plugin("a", "", requires(`{"id":"b","name":"b","type":"panel","version":"1.0.0"}`))},
		{code: bundle.FaultDependencyType, write: all(plugin("b", "", ""), plugin("a", "", requires(`{"id":"b","name":"b","type":"panel","version":"1.0.0"}`)))},
		{code: bundle.FaultDependencyRange, write: all(plugin("b", "", ""), plugin("a", "", requires(`{"id":"b","name":"b","type":"app","version":"^2.0.0"}`)))},
		{code: bundle.FaultNoExecutable, write: plugin("a", "", `,"backend":true`)},
		{code: bundle.FaultExecutableOutside, write: all(plugin("b", "ok", ""),
			file("a/plugin.json", complete("a", "", `,"backend":true,"executable":"../b/gpx_ok"`)))},
		{code: bundle.FaultExecutableMissing, write: file("a/plugin.json", complete("a", "x", ""))},
		{code: bundle.FaultExecutableIrregular, write: all(file("a/plugin.json", complete("a", "x", "")), file("a/"+bundle.Host().Executable("gpx_x")+"/file", ""))},
		{code: bundle.FaultExecutableUnread, write: program([]byte("\x7fELF and no more"), 0o755)},
		{code: bundle.FaultExecutableUnread, write: program(nil, 0o755), want: "is incomplete: it is empty"},
		{code: bundle.FaultNotExecutable, write: program([]byte("#!/bin/sh\n"), 0o644)},
		{code: bundle.FaultWrongPlatform, write: program(foreignELF(), 0o755)},

		{code: bundle.FaultToken, write: plugin("a", "ok", `,"iam":{}`), options: token(func(string) error { return errors.New("read-only database") }), want: "read-only database"},
		{code: bundle.FaultCopy, write: all(program([]byte("#!/bin/sh\n"), 0o755), growing), want: "changed during the copy"},
		{code: bundle.FaultExec, write: plugin("a", "ok", ""), options: func(_ string, o *Options) { o.Environ = []string{"PATH=" + strings.Repeat("/bin:", 1<<20)} }},
		{code: bundle.FaultExecDenied, write: program([]byte("#!/etc/passwd\n"), 0o755)},
		{code: bundle.FaultExecFormat, write: program([]byte("a text\n"), 0o755)},
		{code: bundle.FaultInterpreter, write: program([]byte("#!/nonexistent/python3 -u\n"), 0o755), want: "the interpreter of gpx_x"},
		{code: bundle.FaultLibrary, write: withoutLibrary, stderr: "libregion.so", skip: noCompiler},

		{code: bundle.FaultHandshake, write: plugin("a", "badaddress", "")},
		{code: bundle.FaultTimeout, write: plugin("a", "hang", ""), options: quick},
		{code: bundle.FaultOutput, write: plugin("a", "noise", ""), want: "hello from main"},
		{code: bundle.FaultExitedAtStart, write: plugin("a", "crash", ""), stderr: "cannot find my settings", want: "exit status 3"},
		{code: bundle.FaultExitedAtStart, write: plugin("a", "return", ""), want: "main must call Serve"},
		{code: bundle.FaultKilledAtStart, write: plugin("a", "killstart", ""), want: "signal: killed"},
		{code: bundle.FaultPanicAtStart, write: plugin("a", "panicstart", ""), stderr: "panic: no region"},
		{code: bundle.FaultCookie, write: plugin("a", "foreign", "")},
		{code: bundle.FaultProtocol, write: plugin("a", "oldprotocol", ""), want: "Plugin version: 99"},
		{code: bundle.FaultTransport, write: plugin("a", "netrpc", "")},

		{code: bundle.FaultHealth, write: plugin("a", "sick", ""), after: health, want: "no \uFFFD[31mupstream"},
		{code: bundle.FaultHealthError, write: plugin("a", "sickerror", ""), after: health, stderr: "no settings"},
		{code: bundle.FaultHealthTimeout, write: plugin("a", "sickslow", ""), after: health, options: func(_ string, o *Options) { o.Limits.Health = 100 * time.Millisecond }},

		{code: bundle.FaultExited, write: plugin("a", "ok", ""), after: call("exit"), want: "exit status 4"},
		{code: bundle.FaultKilled, write: plugin("a", "ok", ""), after: call("kill"), want: "signal: killed"},
		{code: bundle.FaultPanic, write: plugin("a", "ok", ""), after: call("panic-outside"), stderr: "panic: no worker"},
		{code: bundle.FaultOutOfMemory, write: plugin("a", "ok", ""), after: call("memory"), stderr: "fatal error: ", skip: noLimit},
	}
}

// TestSeededFaults provokes each fault in a loader of its own and requires that it is
// reported with its code and nothing else is, and that Inspect finds it if no process is
// needed.
func TestSeededFaults(t *testing.T) {
	t.Parallel()
	seeded := map[bundle.FaultCode]int{
		bundle.FaultRole:       1, // of package host/api
		bundle.FaultDeaf:       1, // see TestDeafProcess
		bundle.FaultNotRunning: 1, // without a known cause
	}
	for _, s := range seeds(t) {
		seeded[s.code]++
		t.Run(string(s.code), func(t *testing.T) {
			t.Parallel()
			if s.skip != "" {
				t.Skip(s.skip)
			}
			root := t.TempDir()
			o := Options{Dirs: []string{root}, HostVersion: "10.4.2", ReadyTimeout: 100 * time.Millisecond, DrainTimeout: 100 * time.Millisecond}
			s.write(t, root)
			if s.options != nil {
				s.options(root, &o)
			}
			if s.isPrivileged {
				s.compare(t, unprivileged(t, root, func() []bundle.Fault { _, faults := Inspect(o); return faults }))
				return
			}
			if isStatic(s.code.Stage()) {
				_, faults := Inspect(o)
				s.compare(t, faults)
			}
			l := start(t, o)
			if s.after != nil {
				s.after(t, l)
			}
			for !slices.ContainsFunc(l.Problems(), func(f bundle.Fault) bool {
				return f.Code == s.code && strings.Contains(strings.Join(f.Stderr, "\n"), s.stderr)
			}) {
				time.Sleep(10 * time.Millisecond)
				if p, ok := l.Plugin("a"); s.after == nil && (!ok || p.Status().State != StateStarting) {
					break // what Reload found does not change
				}
				if slices.ContainsFunc(l.Problems(), func(f bundle.Fault) bool { return f.Code != s.code }) {
					break // such as that of a process that hangs instead of ending
				}
			}
			s.compare(t, l.Problems())
		})
	}
	for _, k := range bundle.FaultKinds() {
		if seeded[k.Code] == 0 {
			t.Errorf("no seed provokes %s", k.Code)
		}
	}
}

// isStatic reports whether the faults of a stage are found without a process.
func isStatic(stage bundle.Stage) bool {
	return slices.Contains([]bundle.Stage{bundle.StageDiscover, bundle.StageRead, bundle.StageValidate, bundle.StageResolve}, stage)
}

func (s seed) compare(t *testing.T, faults []bundle.Fault) {
	t.Helper()
	if len(faults) == 0 {
		t.Fatal("no fault is reported")
	}
	for _, f := range faults {
		if f.Code != s.code || !strings.Contains(f.Reason, s.want) || !strings.Contains(strings.Join(f.Stderr, "\n"), s.stderr) {
			t.Errorf("%s %q with the output %q, want %s %q with %q", f.Code, f.Reason, f.Stderr, s.code, s.want, s.stderr)
		}
		if f.Reason == "" || f.Code.Help() == "" || f.Since.IsZero() || !filepath.IsAbs(f.Path) {
			t.Errorf("incomplete: %+v", f)
		}
		if at := fmt.Sprintf("%d:%d", f.Line, f.Column); s.place != "" && at != s.place {
			t.Errorf("at %s, want %s", at, s.place)
		}
		if strings.ContainsFunc(f.Reason+strings.Join(f.Stderr, ""), func(r rune) bool { return r < ' ' }) {
			t.Errorf("control characters in %+v", f)
		}
	}
	t.Logf("%s: %s: %s", faults[0].Code.Stage(), faults[0].Reason, faults[0].Code.Help())
}

// TestScansAreIdentical writes one tree in 100 orders and requires that all scans return the
// same plugins and faults.
func TestScansAreIdentical(t *testing.T) {
	t.Parallel()
	cycle := func(other string) string {
		return `,"dependencies":{"serviceDependency":"*","plugins":[{"id":"` + other + `","name":"x","type":"app","version":"1.0.0"}]}`
	}
	writes := []func(*testing.T, string){
		plugin("a", "", cycle("b")), plugin("b", "", cycle("c")), plugin("c", "", cycle("a")), plugin("d", "", cycle("a")),
		file("dup1/plugin.json", complete("a", "", "")), file("dup2/plugin.json", complete("dup", "", "")), file("dup3/plugin.json", complete("dup", "", "")),
		link("to-b", "b"), link("also-b", "b"), link("self", "self"), link("gone", "nowhere"), link("up", "."), link("x1", "x2"), link("x2", "x1"),
		file("broken/plugin.json", "{"), file("deep/e/plugin.json", complete("e", "", "")), file("deep/e/f/plugin.json", complete("f", "", "")),
	}
	var first string
	for n := range 100 {
		root := t.TempDir()
		order := rand.New(rand.NewPCG(uint64(n), 1)).Perm(len(writes))
		for _, i := range order {
			writes[i](t, root)
		}
		plugins, faults := Inspect(Options{Dirs: []string{root}, HostVersion: "10.4.2"})
		var b strings.Builder
		for _, p := range plugins {
			fmt.Fprintf(&b, "%s %s %q\n", p.Dir, p.Metadata.ID, p.Parent)
		}
		for _, f := range faults {
			f.Since = time.Time{}
			fmt.Fprintf(&b, "%+v\n", f)
		}
		text := strings.ReplaceAll(b.String(), root, "ROOT")
		if first == "" {
			first = text
			t.Log(text)
		}
		if diff := cmp.Diff(first, text); diff != "" {
			t.Fatalf("scan %d of the order %v (-first +this):\n%s", n, order, diff)
		}
	}
}

// TestOneHangDelaysNoOther starts plugins beside one that hangs, which must not keep the others
// from being ready before its own start ends.
func TestOneHangDelaysNoOther(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 9 {
		plugin(fmt.Sprintf("p%02d", i), "ok", "")(t, root)
	}
	plugin("a-hang", "hang", "")(t, root)
	l := startLater(t, root, Options{})
	for n := 0; n < 9; time.Sleep(time.Millisecond) {
		n = 0
		for _, p := range l.Plugins() {
			if isRunning(p.Status()) {
				n++
			}
		}
	}
	if s := mustPlugin(t, l, "a-hang").Status(); s.State != StateStarting {
		t.Errorf("the plugin that hangs: %+v", s)
	}
}

// A fault of a process disappears when the process serves again, a crash after some minutes.
func TestFaultsEnd(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plugin("a", "crash", "")(t, root)
	l := start(t, Options{Dirs: []string{root}, HostVersion: "10.4.2"})
	p := mustPlugin(t, l, "a")
	first := p.Faults()
	if len(first) != 1 || first[0].Code != bundle.FaultExitedAtStart {
		t.Fatalf("%+v", first)
	}
	reload(t, l)
	if again := p.Faults(); len(again) != 1 || !again[0].Since.Equal(first[0].Since) {
		t.Errorf("the same fault is %+v, was %+v", again, first)
	}
	testkit.OK(t, os.RemoveAll(filepath.Join(root, "a")))
	plugin("a", "sick", "")(t, root)
	reload(t, l)
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("a process that serves has the faults %+v", faults)
	}
	health(t, l)
	if faults := p.Faults(); len(faults) != 1 || faults[0].Code != bundle.FaultHealth {
		t.Errorf("%+v", faults)
	}
	call("kill")(t, l)
	for p.Status().State != StateRunning || len(p.Faults()) != 1 || p.Faults()[0].Code != bundle.FaultKilled {
		time.Sleep(10 * time.Millisecond)
	}
	p.troubles.mu.Lock()
	p.troubles.last.Since = time.Now().Add(-crashShown)
	p.troubles.mu.Unlock()
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// The health of a data source is a fault of the plugin only if it has settings, and a
// successful check of another one does not end it.
func TestHealthOfDataSources(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	plugin("a", "sick", "")(t, root)
	l := start(t, Options{Dirs: []string{root}, HostVersion: "10.4.2"})
	p := mustPlugin(t, l, "a")
	check := func(source *sdk.DataSource) {
		t.Helper()
		testkit.Must(p.CheckHealth(t.Context(), &sdk.CheckHealthRequest{Context: sdk.Context{DataSource: source}}))(t)
	}
	check(&sdk.DataSource{Settings: sdk.Settings{}, UID: "a"})
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
	p.checked(t.Context(), &Process{}, &sdk.CheckHealthRequest{}, nil, errors.New("the process was replaced"))
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("the fault of another process: %+v", faults)
	}
	check(&sdk.DataSource{ID: 3, UID: "u", Name: "north"})
	if faults := p.Faults(); len(faults) != 1 || !strings.Contains(faults[0].Reason, `"north"`) {
		t.Errorf("%+v", faults)
	}
	fine := &sdk.CheckHealthResult{Status: sdk.HealthOK}
	p.checked(t.Context(), p.current, &sdk.CheckHealthRequest{Context: sdk.Context{DataSource: &sdk.DataSource{ID: 4, UID: "other"}}}, fine, nil)
	if len(p.Faults()) != 1 {
		t.Error("the check of another data source ended the fault")
	}
	p.checked(t.Context(), p.current, &sdk.CheckHealthRequest{Context: sdk.Context{DataSource: &sdk.DataSource{ID: 3, UID: "u"}}}, fine, nil)
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// The fault of a health check has the lines that the process writes after its response.
func TestFaultQuotesLateOutput(t *testing.T) {
	t.Parallel()
	_, p := mount(t, "ok", "", Options{})
	p.checked(t.Context(), p.current, &sdk.CheckHealthRequest{}, nil, errors.New("no settings"))
	testkit.Must(p.current.stderr.Write([]byte("no region\n")))(t)
	for !slices.Contains(p.Faults()[0].Stderr, "no region") {
		time.Sleep(time.Millisecond)
	}
}
