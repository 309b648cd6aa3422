package verbs

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// goPlugin writes a data source whose backend needs no modules, and does not serve.
func goPlugin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	testkit.WriteFiles(t, dir, map[string]string{
		".git/HEAD": "", // the root of the search for slipway.yaml
		"plugins/x/src/plugin.json": `{"type": "datasource", "id": "acme-x-datasource", "name": "X", "backend": true, "executable": "gpx_x",
  "info": {"keywords": ["k"], "description": "x", "logos": {"small": "img/l.svg", "large": "img/l.svg"}, "version": "1.2.3", "updated": "2026-01-02"},
  "dependencies": {"serviceDependency": ">=10.3.0"}}`,
		"plugins/x/src/module.js":    "define([], () => ({}));\n",
		"plugins/x/src/img/l.svg":    `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"plugins/x/README.md":        "# X\n",
		"go.mod":                     "module example.com/x\n\ngo 1.26\n",
		"server/x/main.go":           "package main\n\nvar value string\n\nfunc main() { println(value) }\n",
		"server/x/tagged.go":         "//go:build special\n\npackage main\n\nfunc init() { println(\"special\") }\n",
		"plugins/x/cmd/tool/main.go": "package main\n\nfunc main() {}\n",
	})
	return dir
}

func TestBuildConfiguration(t *testing.T) {
	t.Parallel()
	dir := goPlugin(t)
	plugin := filepath.Join(dir, "plugins", "x")
	build := func(o BuildOptions) (string, error) {
		w, printed := captured(t)
		o.Dir = plugin
		_, err := Build(t.Context(), w, o)
		return printed(), err
	}
	for _, c := range []struct{ text, want string }{
		{"backend:\n  platforms: [linux]\n", `invalid platform "linux"`},
		{"backend:\n  man: x\n", `did you mean "main"?`},
		{"backend:\n  env: {GOOS: hunter2}\n", `"GOOS" must not be in "env"`},
	} {
		testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), c.text)
		if out, err := build(BuildOptions{}); code(err) != ExitUsage || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "slipway.yaml:") || strings.Contains(out+err.Error(), "hunter2") {
			t.Errorf("%q: %v\n%s", c.text, err, out)
		}
	}
	w, _ := captured(t)
	if _, err := Build(t.Context(), w, BuildOptions{Dir: t.TempDir()}); code(err) != ExitUsage {
		t.Errorf("no plugin: %v", err)
	}
	if _, err := build(BuildOptions{Only: "backnd", Face: Mage}); code(err) != ExitUsage || err.Error() != `-only: unknown side "backnd"; did you mean "backend"?` {
		t.Errorf("misspelled side: %v", err)
	}

	// The command line takes precedence; settings that no platform can use fail without a value.
	settings := "backend:\n  main: {acme-x-datasource: server/x}\n  platforms: host\n  tags: [special]\n  ldflags: -X main.value=hello\n  check: false\n"
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), settings)
	if out, err := build(BuildOptions{}); err != nil || !strings.Contains(out, "1 executable") {
		t.Fatalf("%v\n%s", err, out)
	}
	executable := filepath.Join(plugin, "dist", bundle.Host().Executable("gpx_x"))
	if out, err := exec.CommandContext(t.Context(), executable).CombinedOutput(); err != nil || string(out) != "special\nhello\n" {
		t.Errorf("the backend printed %q, %v; want what its build tag and linker flags make of it", out, err)
	}
	if out, err := build(BuildOptions{Platforms: "windows/amd64"}); err != nil || !strings.Contains(out, "gpx_x_windows_amd64.exe") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := build(BuildOptions{Debug: true, Face: Mage}); err != nil || !strings.Contains(out, "build without -debug to replace it") {
		t.Errorf("%v\n%s", err, out)
	}
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), settings+"  env: {GOAMD64: hunter2, GOARM64: hunter2}\n")
	if out, err := build(BuildOptions{}); err == nil || strings.Contains(out+err.Error(), "hunter2") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestWhatStopsABuild requires that build, dev and package agree on it: the severities and suppressions of
// slipway.yaml apply, but neither the preset of the catalog nor strictness.
func TestWhatStopsABuild(t *testing.T) {
	t.Parallel()
	dir := goPlugin(t)
	plugin := filepath.Join(dir, "plugins", "x")
	repo := testkit.Must(bundle.OpenRepo(plugin))(t)
	file := filepath.Join(plugin, "src", "plugin.json")
	testkit.WriteFile(t, file, strings.Replace(testkit.ReadFile(t, file), `"X"`, `"X", "logs": "yes"`, 1))
	for _, c := range []struct {
		text      string
		isRefused bool
	}{
		{"", true},
		{"rules: {wrong-type: warning}\n", false},
		{"rules: {preset: catalog, wrong-type: warning}\n", false},
		{"strict: true\nrules: {wrong-type: warning}\n", false},
		{"strict: true\nsuppress:\n  - {rule: wrong-type, file: plugins/x/src/plugin.json, reason: known}\n", false},
		{"suppress:\n  - {rule: wrong-type, file: plugins/x/src/other.json, reason: known}\n", true},
	} {
		testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "backend:\n  main: server/x\n  platforms: host\n  check: false\n"+c.text)
		w, printed := captured(t)
		o := BuildOptions{Dir: plugin, Platforms: "host"}
		_, built := Build(t.Context(), w, o)
		_, updated := UpdateBuild(t.Context(), w, repo, o)
		packed := runPackage(t.Context(), w, packageOptions{Dir: plugin, Out: t.TempDir()})
		for verb, err := range map[string]error{"build": built, "dev": updated, "package": packed} {
			if verb == "package" && c.text == "" {
				continue // nothing was built yet
			}
			_, isRefused := errors.AsType[*build.RefusedError](err)
			if isRefused != c.isRefused || (err != nil) != c.isRefused {
				t.Errorf("%q, %s: %v\n%s", c.text, verb, err, printed())
			}
		}
	}
}

// TestUpdateBuildIsConfigured requires that an update applies slipway.yaml as a build does.
func TestUpdateBuildIsConfigured(t *testing.T) {
	t.Parallel()
	dir := goPlugin(t)
	testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), "backend:\n  main: server/x\n  ldflags: -X main.value=configured\n  check: false\n")
	o := BuildOptions{Dir: filepath.Join(dir, "plugins", "x"), Platforms: "host"}
	w, printed := captured(t)
	repo := testkit.Must(bundle.OpenRepo(o.Dir))(t)
	if _, err := UpdateBuild(t.Context(), w, repo, o); err != nil {
		t.Fatalf("%v\n%s", err, printed())
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(o.Dir, "dist", bundle.Host().Executable("gpx_x"))).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "configured") {
		t.Errorf("the backend printed %q, %v", out, err)
	}
}

// TestOwnDir requires that a build says where the repository's own bundler writes, even if it fails.
func TestOwnDir(t *testing.T) {
	t.Parallel()
	dir := goPlugin(t)
	plugin := filepath.Join(dir, "plugins", "x")
	for text, want := range map[string]string{
		"":                             "",
		"frontend:\n  command: make\n": "",
		"rules:\n  id-type-suffix: off\nfrontend:\n  command: nope\n  dir: a/b\n": filepath.Join(plugin, "a", "b"),
	} {
		testkit.WriteFile(t, filepath.Join(dir, "slipway.yaml"), text)
		w, _ := captured(t)
		if b, _ := Build(t.Context(), w, BuildOptions{Dir: plugin, Platforms: "host", Only: "frontend"}); b.OwnDir != want {
			t.Errorf("%q: got %q, want %q", text, b.OwnDir, want)
		}
	}
}
