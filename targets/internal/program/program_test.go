package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test executable act as the program slipway.
func TestMain(m *testing.M) {
	switch os.Getenv("TEST_SLIPWAY") {
	case "status 3":
		os.Exit(3)
	case "arguments":
		text := strings.Join(append(os.Args[1:], os.Getenv(envFace)), "\n")
		if err := os.WriteFile(os.Getenv("TEST_ARGUMENTS"), []byte(text), 0o644); err != nil {
			panic(err)
		}
		os.Exit(0)
	case "parent":
		child := exec.Command(os.Args[0])
		child.Env, child.Stdout = append(os.Environ(), "TEST_SLIPWAY=child"), os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "child":
		ctx, stop := withParent(context.Background())
		defer stop()
		_, _ = os.Stdout.WriteString("ready\n")
		<-ctx.Done()
		return
	case "waits":
		if err := os.WriteFile(os.Getenv("TEST_ARGUMENTS"), nil, 0o644); err != nil {
			panic(err)
		}
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// checkout writes a module with the path of Slipway whose command prints an expression.
func checkout(t *testing.T, dir, expression string) {
	t.Helper()
	write(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "cmd", "slipway", "main.go"), "package main\n\nfunc main() { println("+expression+") }\n")
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "")
	file := filepath.Join(dir, "targets", "internal", "program", "program.go")
	for _, c := range []struct {
		name string
		main debug.Module
		deps []*debug.Module
		file string
		want origin
	}{
		{"tool of a release", debug.Module{Path: targets, Version: "v1.2.3"}, nil, "", origin{version: "v1.2.3"}},
		{"magefile", debug.Module{Path: "example.com/x", Version: "(devel)"}, []*debug.Module{{Path: module, Version: "v1.0.0"}, {Path: targets, Version: "v1.2.3"}}, "", origin{version: "v1.2.3"}},
		{"replaced by a version", debug.Module{}, []*debug.Module{{Path: targets, Version: "v1.2.3", Replace: &debug.Module{Path: targets, Version: "v1.2.4"}}}, "", origin{version: "v1.2.4"}},
		{"replaced by a directory", debug.Module{}, []*debug.Module{{Path: targets, Version: "v0.0.0", Replace: &debug.Module{Path: filepath.Join(dir, "targets")}}}, "targets/x.go", origin{checkout: dir}},
		{"replaced by a relative path", debug.Module{}, []*debug.Module{{Path: targets, Replace: &debug.Module{Path: "../targets"}}}, file, origin{checkout: dir}},
		{"in the checkout", debug.Module{Path: targets, Version: "(devel)"}, nil, file, origin{checkout: dir}},
	} {
		if got, err := originIn(&debug.BuildInfo{Main: c.main, Deps: c.deps}, c.file); err != nil || got != c.want {
			t.Errorf("%s: %+v (%v), want %+v", c.name, got, err, c.want)
		}
	}
	if _, err := originIn(&debug.BuildInfo{}, file); err == nil || !strings.Contains(err.Error(), "require a release") {
		t.Errorf("without the module: %v", err)
	}
}

// TestCheckout requires that a program from a checkout is built once, and again when a source changes.
func TestCheckout(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	o := origin{checkout: dir}
	find := func(want string) (progress string) {
		t.Helper()
		var out bytes.Buffer
		path, err := o.program(t.Context(), cache, &out)
		if err != nil {
			t.Fatal(err)
		}
		if printed, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || string(printed) != want+"\n" {
			t.Errorf("the program printed %q (%v), want %q", printed, err, want)
		}
		return out.String()
	}
	checkout(t, dir, `"one"`)
	if progress := find("one"); !strings.HasPrefix(progress, "building slipway from "+dir+"; the first time") || !strings.Contains(progress, "\nbuilt slipway from "+dir+" in ") {
		t.Errorf("the first run printed %q", progress)
	}
	if progress := find("one"); progress != "" {
		t.Errorf("the second run printed %q", progress)
	}
	program, _ := filepath.Glob(filepath.Join(cache, "*", "slipway*"))
	old := filepath.Join(cache, "v1.0.0", ".build-old")
	write(t, filepath.Join(old, "slipway"), "")
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(program[0], 1000); err != nil {
		t.Fatal(err)
	}
	if progress := find("one"); !strings.HasPrefix(progress, "building ") {
		t.Errorf("a damaged program was not built again: %q", progress)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("what a killed build left is still there")
	}
	write(t, filepath.Join(dir, "main_test.go"), "package x\n")
	if progress := find("one"); progress != "" {
		t.Errorf("after a change of a test, the program was built: %q", progress)
	}
	checkout(t, dir, `"other"`)
	find("other")
	checkout(t, dir, "undefined")
	if _, err := o.program(t.Context(), cache, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "build slipway from ") || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("a checkout that does not compile: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*", ".build-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("builds left %v (%v)", left, err)
	}
}

// TestAtOnce requires that processes that find the program at the same time all get it.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	checkout(t, dir, `"one"`)
	var running sync.WaitGroup
	for i := 0; i < 4; i++ {
		running.Add(1)
		go func() {
			defer running.Done()
			path, err := origin{checkout: dir}.program(t.Context(), cache, &bytes.Buffer{})
			if err != nil {
				t.Error(err)
			} else if out, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || string(out) != "one\n" {
				t.Errorf("printed %q (%v)", out, err)
			}
		}()
	}
	running.Wait()
}

func TestVersion(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOFLAGS", "-mod=vendor")
	cache, o := t.TempDir(), origin{version: "v1.2.3"}
	_, err := o.program(t.Context(), cache, &bytes.Buffer{})
	if err == nil || !strings.HasPrefix(err.Error(), "download slipway v1.2.3: ") || !strings.Contains(err.Error(), "GOPROXY=off") || !strings.Contains(err.Error(), "\nhelp: ") {
		t.Errorf("a version that cannot be downloaded: %v", err)
	}
	name := "slipway"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	want := filepath.Join(cache, "v1.2.3", name)
	write(t, want, "")
	write(t, want+".stamp", record(want, ""))
	if got, err := o.program(t.Context(), cache, &bytes.Buffer{}); err != nil || got != want {
		t.Errorf("%s (%v)", got, err)
	}
	cmd := o.command(t.Context(), "temporary", "")
	if line := strings.Join(cmd.Args, " "); line != "go install -v -ldflags=-s -w "+module+"/cmd/slipway@v1.2.3" || cmd.Dir != "temporary" {
		t.Errorf("%s in %s", line, cmd.Dir)
	}
	env := strings.Join(cmd.Environ(), "\n") + "\n"
	for _, want := range []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH, "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0", "GOBIN=temporary"} {
		if !strings.Contains(env, want+"\n") {
			t.Errorf("the environment does not contain %s", want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	yes, no, text := true, false, "a b=c"
	got := commandLine("scaffold update", Args(nil, &text), []string{
		Option("dir", &text), Option[string]("name", nil), Option("backend", &no), Option("force", &yes), Option[bool]("list", nil),
	})
	want := []string{"scaffold", "update", "--dir=a b=c", "--backend=false", "--force=true", "--", "a b=c"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments")
	t.Setenv("TEST_ARGUMENTS", file)
	t.Setenv("TEST_SLIPWAY", "arguments")
	if status, err := run(t.Context(), os.Args[0], []string{"host", "--database=", "--"}); status != 0 || err != nil {
		t.Fatal(status, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "host\n--database=\n--\nmage" {
		t.Errorf("%q (%v)", got, err)
	}
	t.Setenv("TEST_SLIPWAY", "status 3")
	if status, err := run(t.Context(), os.Args[0], nil); status != 3 || err != nil {
		t.Errorf("status %d (%v)", status, err)
	}
	if _, err := run(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing program: %v", err)
	}
}

// TestInterrupt checks that a program ended by the end of its context is not an error.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals")
	}
	file := filepath.Join(t.TempDir(), "started")
	t.Setenv("TEST_ARGUMENTS", file)
	t.Setenv("TEST_SLIPWAY", "waits")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := run(ctx, os.Args[0], nil)
		ended <- err
	}()
	for {
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestParent requires that a process notices the end of the one that started it.
func TestParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "TEST_SLIPWAY=parent")
	if _, err := parent.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe() // it ends when the last process that holds it has ended
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parent.Stdout = w
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	out := bufio.NewReader(r)
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("the child printed %q (%v)", rest, err)
	}
}
