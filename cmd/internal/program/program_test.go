package program

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/version"
)

// write writes a module with a command slipway-host that prints an expression.
func write(t *testing.T, dir, expression string) {
	t.Helper()
	testkit.WriteFiles(t, dir, map[string]string{
		"go.mod":                   "module " + version.Module + "\n\ngo 1.26\n",
		"cmd/slipway-host/main.go": "package main\n\nfunc main() { println(" + expression + ") }\n",
	})
}

func TestBuild(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	program, from := filepath.Join(cache, executable(Host)), version.Origin{Checkout: dir}
	var out bytes.Buffer
	write(t, dir, `"one"`)
	testkit.OK(t, build(t.Context(), from, Host, program, &out))
	if printed, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil || string(printed) != "one\n" {
		t.Errorf("the program printed %q (%v)", printed, err)
	}
	if !strings.HasPrefix(out.String(), "building slipway-host once for this version; ") {
		t.Errorf("printed %q", &out)
	}
	out.Reset()
	if err := build(t.Context(), from, Host, program, &out); err != nil || out.Len() > 0 {
		t.Errorf("without changes: %v, printed %q", err, &out)
	}
	write(t, dir, "undefined")
	if err := build(t.Context(), from, Host, program, &out); err == nil || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("a checkout that does not compile: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(cache, ".build-*")); err != nil || len(left) > 0 {
		t.Errorf("builds left %v (%v)", left, err)
	}
}

func TestBuildOfVersion(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	program := filepath.Join(t.TempDir(), Host)
	err := build(t.Context(), version.Origin{Version: "v1.2.3"}, Host, program, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "GOPROXY=off") {
		t.Errorf("a version that cannot be downloaded: %v", err)
	}
}

// TestDirectory requires the directories in the cache that package targets/internal/program uses.
func TestDirectory(t *testing.T) {
	t.Parallel()
	for want, from := range map[string]version.Origin{
		"v1.2.3":                {Version: "v1.2.3"},
		"checkout-8a5edab28263": {Checkout: "/"},
	} {
		if got := directory(from); got != want {
			t.Errorf("%+v: %s, want %s", from, got, want)
		}
	}
	if path := Installed("none"); path != "" {
		t.Errorf("a program that does not exist: %s", path)
	}
}
