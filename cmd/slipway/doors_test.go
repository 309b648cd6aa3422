package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

// TestDoors runs verbs through Mage and through go tool in a scaffolded repository. Both run the
// same program, which has its own messages and exit statuses.
func TestDoors(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if _, stderr, code := slipway(t, "scaffold", "panel", "acme-x-panel", "--dir="+dir); code != 0 {
		t.Fatal(stderr)
	}
	tool := func(status int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"tool"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
			t.Fatalf("go tool %v: %v\n%s", args, err, out)
		}
		return string(out)
	}

	var names []string
	_, list, _ := strings.Cut(tool(0, "mage", "-l"), "Targets:\n")
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

	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"mage validate -writeBaseline=baseline.json", 0, "wrote 0 findings to baseline.json\n"},
		{"mage validate -baseline=none.json", 2, "slipway: baseline none.json not found; create it with -writeBaseline=none.json\n"},
		{"slipway validate --baseline=none.json", 2, "slipway: baseline none.json not found; create it with --write-baseline=none.json\n"},
		{"mage validate -path=none", 2, "slipway: nothing to validate: none: file does not exist"},
		{"slipway validate go.mod", 2, "slipway: go.mod: it is neither a plugin.json nor a zip: name one, or the directory of a plugin\n"},
		{"slipway validate -strict", 2, "slipway: unknown option -strict; did you mean --strict?\nrun 'go tool slipway validate --help' for usage\n"},
		{"slipway scaffold panel", 2, "usage: go tool slipway scaffold <type> <id>"},
		{"slipway validate --strct", 2, "run 'go tool slipway validate --help' for usage\n"},
		{"mage -h dev", 0, "-serviceVersion=<string>     service version reported to plugins (default: the lowest that all of them accept, and at least 10.3.0)"},
		{"mage scaffold:new", 2, "run 'go tool mage scaffold <type> <id>' instead"},
		{"mage scaffold:list", 0, "go tool mage -h scaffold"},
		{"mage explain path-missing", 0, "path-missing"},
		{"mage build:linux", 0, "built dist"},
		{"mage build:debug build:generateManifestFile", 0, "wrote dist/go_plugin_build_manifest"},
		{"mage test", 0, "no Go tests"},
		{"mage scaffold:update -dryRun", 0, ""},
		{"mage clean", 0, "removed dist"},
	} {
		out := tool(c.status, strings.Fields(c.args)...)
		if !strings.Contains(out, c.want) || strings.Contains(out, "Error:") {
			t.Errorf("go tool %s printed\n%s\nwant %q", c.args, out, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "dist")); !os.IsNotExist(err) {
		t.Errorf("clean left dist (%v)", err)
	}
}
