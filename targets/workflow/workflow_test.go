package workflow

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/targets"
)

// sdkTargets are the targets of the package build of Grafana's SDK, except debugger and
// reloadPlugin, which end the processes of a running host, and build:debugMarketplace and
// build:debugMarketplaceFor, which skip a license check of that SDK: a build tag in
// slipway.yaml does the same.
func sdkTargets() []string {
	return []string{
		"build:backend", "build:custom", "build:darwin", "build:darwinARM64", "build:debug", "build:debugDarwinAMD64",
		"build:debugDarwinARM64", "build:debugLinuxAMD64", "build:debugLinuxARM64", "build:debugWindowsAMD64",
		"build:generateManifestFile", "build:linux", "build:linuxARM", "build:linuxARM64", "build:windows", "buildAll", "clean", "coverage", "format", "lint", "test", "testRace", "watch",
	}
}

// TestMage runs targets in a scaffolded repository.
func TestMage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if err := targets.Scaffold(t.Context(), "panel", "acme-x-panel", &dir, nil, nil, nil, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	mage := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool", "mage"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("mage %v: %v\n%s", args, err, out)
		}
		return string(out)
	}

	var names []string
	_, list, _ := strings.Cut(mage("-l"), "Targets:\n")
	for line := range strings.Lines(list) {
		name, summary, _ := strings.Cut(strings.TrimSpace(line), " ")
		names = append(names, name)
		if summary = strings.TrimSpace(summary); summary == "" || len(summary) > 100 {
			t.Errorf("the summary of %s has %d characters, want 1 to 100: %q", name, len(summary), summary)
		}
	}
	for _, want := range append(sdkTargets(), "build", "scaffold", "scaffold:list", "scaffold:new", "scaffold:update", "test:race", "init", "validate") {
		if !slices.Contains(names, want) {
			t.Errorf("mage does not list %s:\n%s", want, list)
		}
	}

	if out := mage("build:linux"); !strings.Contains(out, "built dist") {
		t.Errorf("build:linux printed\n%s", out)
	}
	if out := mage("build:debug", "build:generateManifestFile"); !strings.Contains(out, "wrote dist/go_plugin_build_manifest") {
		t.Errorf("build:generateManifestFile printed\n%s", out)
	}
	if out := mage("scaffold:list"); !strings.Contains(out, "secretsmanager") || !strings.Contains(out, "go tool mage -h scaffold") {
		t.Errorf("scaffold:list printed\n%s", out)
	}
	if out := mage("test"); !strings.Contains(out, "no Go tests") {
		t.Errorf("test printed\n%s", out)
	}
	if out := mage("scaffold:update", "-dryRun"); out != "" {
		t.Errorf("scaffold:update printed\n%s", out)
	}
	mage("clean")
	if _, err := os.Stat(filepath.Join(dir, "dist")); !os.IsNotExist(err) {
		t.Errorf("clean left dist (%v)", err)
	}
}

func TestBuiltPlatforms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"gpx_x_linux_amd64", "gpx_y_linux_amd64", "gpx_x_windows_amd64.exe", "module.js", "plugin.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := builtPlatforms(dir)
	if want := []string{"linux/amd64", "windows/amd64"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v (%v), want %v", got, err, want)
	}
	if got, err := builtPlatforms(filepath.Join(dir, "none")); err != nil || got != nil {
		t.Errorf("without dist: %v (%v)", got, err)
	}
}
