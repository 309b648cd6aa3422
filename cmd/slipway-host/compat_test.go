package main

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
)

// writeCompat writes a plugin that runs everywhere, as a directory and as a zip.
func writeCompat(t *testing.T) (dir, archive string) {
	t.Helper()
	dir = t.TempDir()
	archive = filepath.Join(t.TempDir(), "acme-x-renderer-1.0.0.zip")
	out, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(out)
	for name, text := range map[string]string{
		"plugin.json":                            `{"id":"acme-x-renderer","type":"renderer","backend":true,"executable":"plugin_start","dependencies":{"serviceDependency":">=10.3.0","grafanaDependency":">=10.3.0"}}`,
		bundle.Host().Executable("plugin_start"): "#!/bin/sh\n# grafana_plugin_type",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, archive
}

// Without an option, the host is one that reports a version which the plugin accepts, as the host does.
func TestCompatVersion(t *testing.T) {
	t.Parallel()
	dir, _ := writeCompat(t)
	const text = `{"id":"acme-x-panel","type":"panel","dependencies":{"grafanaDependency":">=12.4.0"}}`
	if err := os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for option, want := range map[string]string{
		"--format=text": "grafanaDependency  yes ", "--service-version=10.3.0": "grafanaDependency  partly ", "--service-version=12.4.0": "grafanaDependency  yes ",
	} {
		if stdout, stderr, _ := slipway(t, "compat", option, dir); !strings.Contains(stdout, want) {
			t.Errorf("%s: no %q in\n%s%s", option, want, stdout, stderr)
		}
	}
}

func TestCompat(t *testing.T) {
	t.Parallel()
	dir, archive := writeCompat(t)
	want := `acme-x-renderer (plugin.json)
  aspect             here     existing  found
  profile            yes      yes       service and grafana
  serviceDependency  yes      yes       >=10.3.0
  grafanaDependency  yes      yes       >=10.3.0
  platforms          yes      yes       ` + bundle.Host().String() + `
  protocol           yes      yes       unknown SDK
runs here: yes; in existing hosts: yes
`
	for _, path := range []string{dir, archive} {
		stdout, stderr, code := slipway(t, "compat", path)
		if diff := cmp.Diff(want, stdout); diff != "" || code != 0 {
			t.Errorf("%s: status %d, %s\noutput (-want +got):\n%s", path, code, stderr, diff)
		}
	}
	stdout, _, code := slipway(t, "compat", "--format=json", "--existing-version=9.4.0", archive)
	var report struct {
		Version int
		Plugins []struct {
			PluginID, Path string
			Rows           []struct{ Aspect, Found, Here, Existing, Help string }
			Runs           struct{ Here, Existing string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || report.Version != 1 || len(report.Plugins) != 1 {
		t.Fatalf("status %d, %v in %s", code, err, stdout)
	}
	if p := report.Plugins[0]; p.Runs.Here != "yes" || p.Runs.Existing != "partly" || p.Rows[2].Existing != "partly" || p.Rows[2].Help == "" {
		t.Errorf("%+v", p)
	}
	// The script exits before the handshake.
	if stdout, _, code := slipway(t, "compat", "--start", dir); code != verbs.ExitFindings || !strings.Contains(stdout, "protocol           no       no ") {
		t.Errorf("status %d: %s", code, stdout)
	}
}

func TestCompatUsage(t *testing.T) {
	t.Parallel()
	_, archive := writeCompat(t)
	empty := t.TempDir()
	file := filepath.Join(empty, "x.zip")
	if err := os.WriteFile(file, []byte("no zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := "darwin/arm64"
	if bundle.Host().String() == other {
		other = "linux/amd64"
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--format=xml", empty}, verbs.ExitUsage, `--format: unknown format "xml"`},
		{[]string{"--platform=all", empty}, verbs.ExitUsage, "--platform=all: name one platform"},
		{[]string{filepath.Join(empty, "none")}, verbs.ExitUsage, "does not exist"},
		{[]string{"--existing-version=latest", empty}, verbs.ExitUsage, "invalid --existing-version=latest: write a version"},
		{[]string{"--service-version=12", empty}, verbs.ExitUsage, "invalid --service-version=12: write a version"},
		{[]string{"--start", "--platform=" + other, empty}, verbs.ExitUsage, "omit --platform=" + other},
		{[]string{"--start", archive}, verbs.ExitUsage, "--start needs a directory: unpack "},
		{[]string{empty}, verbs.ExitBroken, ": no plugin.json found: choose "},
		{[]string{file}, verbs.ExitBroken, "not a valid zip file"},
	} {
		if _, stderr, code := slipway(t, append([]string{"compat"}, c.args...)...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, want %d; stderr is %q, want a string containing %q", c.args, code, c.code, stderr, c.want)
		}
	}
}

// TestRoutePatterns requires that the table comes from the host.
func TestRoutePatterns(t *testing.T) {
	t.Parallel()
	if list := routePatterns(); !slices.Contains(list, "/api/ds/query") || len(list) < 30 {
		t.Errorf("%d routes: %v", len(list), list)
	}
}
