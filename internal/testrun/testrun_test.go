package testrun

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clock is a time that tests advance.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }

func newTestPrinter(run Run) (*printer, *strings.Builder, *clock) {
	var out strings.Builder
	c := &clock{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p := newPrinter(&out, "example.com/m", c.now)
	p.begin(run)
	out.Reset()
	return p, &out, c
}

// TestFailures prints the events of packages with failed, skipped and panicking tests,
// a failed build and no tests. Everything that did not pass is printed in full.
func TestFailures(t *testing.T) {
	t.Parallel()
	events, err := os.Open(filepath.Join("testdata", "failures.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	p, out, _ := newTestPrinter(Run{})
	if err := p.read(events); err != nil {
		t.Fatal(err)
	}
	p.end()
	p.summary(1)
	const want = `FAIL    0.0s  a: 1 of 3 tests failed
    a_test.go:4: one
        two
--- FAIL: TestFail/sub (0.00s)
--- FAIL: TestFail (0.00s)
        skipped TestSkip: a_test.go:5: no node
# example.com/m/b [example.com/m/b.test]
b/b_test.go:3:27: undefined: undefined
FAIL    0.0s  b: build failed
-       0.0s  c: no tests
FAIL    0.0s  d: 1 of 1 test failed
before
--- FAIL: TestD (0.00s)
panic: assignment to entry in nil map [recovered, repanicked]

goroutine 4 [running]:
example.com/m/d.TestD(...)
	/m/d/d_test.go:3 +0x65
ok      0.0s  e: 1 test

FAIL  a: TestFail
FAIL  b: build failed
FAIL  d: TestD
FAIL  packages: 1 passed, 3 failed, 1 without tests; tests: 2 passed, 2 failed, 1 skipped; 0.0s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run    Run
		events string
		want   string
	}{
		"cached": {Run{Labels: map[string]string{"a": "on PostgreSQL"}}, `
{"Action":"start","Package":"example.com/m/a"}
{"Action":"output","Package":"example.com/m/a","Output":"ok  \texample.com/m/a\t(cached)\n"}
{"Action":"pass","Package":"example.com/m/a","Elapsed":0}`,
			"ok    cached  a on PostgreSQL\n"},
		"verbose": {Run{Verbose: true}, `
{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"    a_test.go:1: live after 1.2s\n"}
{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"example.com/m/a","Test":"TestA"}
{"Action":"pass","Package":"example.com/m/a","Elapsed":2}`,
			"    a_test.go:1: live after 1.2s\n--- PASS: TestA (0.00s)\nok      2.0s  a: 1 test\n"},
		"failure outside of a test": {Run{}, `
{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"panic: in a goroutine\n"}
{"Action":"pass","Package":"example.com/m/a","Test":"TestA"}
{"Action":"output","Package":"example.com/m/a","Output":"exit status 2\n"}
{"Action":"output","Package":"example.com/m/a","Output":"FAIL\texample.com/m/a\t0.1s\n"}
{"Action":"fail","Package":"example.com/m/a","Elapsed":0.1}`,
			"FAIL    0.1s  a: 1 test\npanic: in a goroutine\nexit status 2\n"},
		"failed build of a dependency": {Run{}, `
{"ImportPath":"example.com/m/x","Action":"build-output","Output":"x.go:1:1: wrong\n"}
{"ImportPath":"example.com/m/x","Action":"build-fail"}
{"Action":"fail","Package":"example.com/m/a","FailedBuild":"example.com/m/x"}
{"Action":"fail","Package":"example.com/m/b","FailedBuild":"example.com/m/x"}`,
			"x.go:1:1: wrong\nFAIL    0.0s  a: build failed: x\nFAIL    0.0s  b: build failed: x\n"},
		"interrupted": {Run{}, `
{"Action":"start","Package":"example.com/m/a"}
{"Action":"output","Package":"example.com/m/a","Test":"TestA","Output":"half a line"}`,
			"FAIL    0.0s  a: interrupted\nhalf a line\n"},
		"not an event": {Run{}, "\nwarning: GOPATH set to GOROOT\n{\"a\": 1}",
			"warning: GOPATH set to GOROOT\n{\"a\": 1}"},
		"build output without a package": {Run{}, `{"ImportPath":"example.com/m/x","Action":"build-output","Output":"warning\n"}`,
			"warning\n"},
	} {
		p, out, _ := newTestPrinter(c.run)
		if err := p.read(strings.NewReader(c.events)); err != nil {
			t.Fatal(err)
		}
		p.end()
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	p, out, c := newTestPrinter(Run{})
	at := func(d time.Duration, want string) {
		t.Helper()
		c.Time = c.Add(d)
		out.Reset()
		p.waiting()
		if out.String() != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	at(9*time.Second, "")
	at(time.Second, "         10s  compiling\n")
	at(9*time.Second, "")
	p.event(event{Action: "start", Package: "example.com/m/b"})
	at(time.Second, "         20s  running b (1s)\n")
	p.event(event{Action: "start", Package: "example.com/m/a"})
	at(10*time.Second, "         30s  running b (11s), a (10s)\n")
	p.event(event{Action: "pass", Package: "example.com/m/b", Elapsed: 12})
	at(9*time.Second, "") // the package was printed 9 s ago
	at(time.Second, "         40s  running a (20s)\n")
}

// TestInterrupted checks that a run and its tests end when its context is done.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a_test.go")
	text := "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tprintln(\"started\", os.Getpid())\n\tselect {}\n}\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"), 0o644), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := 0
	out := writer(func(text []byte) {
		if _, err := fmt.Sscanf(strings.TrimSpace(string(text)), "started %d", &pid); err == nil {
			cancel()
		}
	})
	r := New(out, "example.com/m")
	if err := r.Run(ctx, Run{Flags: []string{"-C", dir}, Packages: []string{"."}, Verbose: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if status := r.Finish(); status == 0 {
		t.Error("status 0")
	}
	if test, err := os.FindProcess(pid); runtime.GOOS != "windows" && (pid == 0 || err == nil && test.Signal(syscall.Signal(0)) == nil) {
		t.Errorf("the test still runs as process %d", pid)
	}
}

type writer func(text []byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// TestRun runs go test itself, for the exit status and for the summary of two runs.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.26\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"b/b_test.go": "package b\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestB(t *testing.T) {\n\tif os.Getenv(\"TEST_B\") == \"\" {\n\t\tt.Error(\"unset\")\n\t}\n}\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags  []string
		env    []string
		status int
		want   string // at the end
	}{
		{nil, []string{"TEST_B=1"}, 0, "\nok    packages: 4 passed, 0 failed, 0 without tests; tests: 4 passed, 0 failed, 0 skipped; "},
		{nil, nil, 1, "\nFAIL  b: TestB\nFAIL  b: TestB\nFAIL  packages: 2 passed, 2 failed, 0 without tests; tests: 2 passed, 2 failed, 0 skipped; "},
		{[]string{"-count=x"}, nil, 2, "\nFAIL  go test: exit status 2\nFAIL  packages: 0 passed, 0 failed, 0 without tests; tests: 0 passed, 0 failed, 0 skipped; "},
	} {
		var out strings.Builder
		r := New(&out, "example.com/m")
		for range 2 {
			run := Run{Flags: append([]string{"-C", dir}, c.flags...), Packages: []string{"./..."}, Env: c.env}
			if err := r.Run(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		}
		if status := r.Finish(); status != c.status {
			t.Errorf("status %d, want %d\n%s", status, c.status, &out)
		}
		if !strings.Contains(out.String(), c.want) || !strings.HasSuffix(out.String(), "s\n") {
			t.Errorf("want at the end %s, got\n%s", c.want, &out)
		}
	}
}
