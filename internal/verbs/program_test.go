package verbs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/origin"
)

// checkout writes a module with the path of Slipway whose command prints text.
func checkout(t *testing.T, dir, text string) {
	t.Helper()
	write(t, filepath.Join(dir, "go.mod"), "module "+origin.Module+"\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "cmd", "slipway", "main.go"), "package main\n\nfunc main() { println("+text+") }\n")
}

func TestProgramOfCheckout(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // HOME changes their defaults
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, strings.TrimSpace(string(out)))
	}
	slipway, plugin := filepath.Join(t.TempDir(), "slipway"), t.TempDir()
	checkout(t, slipway, `"one"`)
	write(t, filepath.Join(plugin, "go.mod"), "module example.com/x\n\ngo 1.26\n\nrequire "+origin.Module+" v0.0.0\n\nreplace "+origin.Module+" => "+slipway+"\n")
	build := func(want string) string {
		t.Helper()
		var progress bytes.Buffer
		program, err := Program(t.Context(), "slipway", plugin, &progress)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil || string(out) != want+"\n" {
			t.Errorf("the program printed %q (%v), want %q", out, err, want)
		}
		return progress.String()
	}
	if progress := build("one"); !strings.HasPrefix(progress, "building slipway; ") {
		t.Errorf("the first build printed %q", progress)
	}
	checkout(t, slipway, `"two"`)
	if progress := build("two"); progress != "" {
		t.Errorf("the second build printed %q", progress)
	}
	if program, err := Program(t.Context(), "slipway", slipway, &bytes.Buffer{}); err != nil {
		t.Errorf("in the checkout itself: %s, %v", program, err)
	}
	checkout(t, slipway, "undefined")
	if _, err := Program(t.Context(), "slipway", plugin, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "build slipway:\n") || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("a checkout that does not compile: %v", err)
	}
	if _, err := Program(t.Context(), "slipway", t.TempDir(), &bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), "find the version of Slipway in go.mod: ") {
		t.Errorf("a directory without a go.mod: %v", err)
	}
}

// The commands run on this machine, whatever the platform of the plugin.
func TestProgramPlatform(t *testing.T) {
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "mips")
	for _, from := range []origin.Origin{{Version: "v1.2.3"}, {Checkout: t.TempDir()}} {
		env := programCommand(t.Context(), from, "slipway", "slipway").Environ()
		for _, want := range []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH} {
			if !slices.Contains(env, want) {
				t.Errorf("%+v: the environment does not contain %s", from, want)
			}
		}
	}
}

// TestProgramOfVersion checks that a released version is built only once.
func TestProgramOfVersion(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the test sets the cache directory of Linux")
	}
	cache, plugin := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("GOPROXY", "off")
	write(t, filepath.Join(plugin, "go.mod"), "module example.com/x\n\ngo 1.26\n\nrequire "+origin.Module+" v1.2.3\n\nreplace "+origin.Module+" => "+origin.Module+" v1.2.4\n")
	if from, err := required(t.Context(), plugin); err != nil || from != (origin.Origin{Version: "v1.2.4"}) {
		t.Errorf("%+v, %v", from, err)
	}
	if _, err := Program(t.Context(), "slipway", plugin, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "build slipway:\n") {
		t.Errorf("a version that cannot be downloaded: %v", err)
	}
	want := filepath.Join(cache, "slipway", "v1.2.4", "slipway")
	write(t, want, "")
	if got, err := Program(t.Context(), "slipway", plugin, &bytes.Buffer{}); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	cmd := programCommand(t.Context(), origin.Origin{Version: "v1.2.4"}, "slipway", want)
	if line := strings.Join(cmd.Args, " "); line != "go install -trimpath -gcflags=all=-dwarf=false -d=gcstart=512 -ldflags=-s -w "+origin.Module+"/cmd/slipway@v1.2.4" {
		t.Error(line)
	}
	if env := strings.Join(cmd.Env, "\n"); !strings.Contains(env, "\nCGO_ENABLED=0\nGOBIN="+filepath.Dir(want)+"\n") || cmd.Dir != os.TempDir() {
		t.Errorf("directory %s, environment\n%s", cmd.Dir, env)
	}
}
