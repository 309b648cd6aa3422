package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate/report"
)

// monorepo returns a Git repository with plugins in directories of these names, whose ids contain them.
func monorepo(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, ".git", "HEAD"), "")
	for _, name := range names {
		dir := filepath.Join(root, "plugins", name)
		testkit.OK(t, os.CopyFS(dir, os.DirFS(panel(t, false))))
		file := filepath.Join(dir, "src", "plugin.json")
		testkit.WriteFile(t, file, strings.Replace(testkit.ReadFile(t, file), "acme-x-panel", "acme-"+name+"-panel", 1))
		if err := os.Remove(filepath.Join(dir, adopt.ScaffoldRecord)); err != nil { // of the other id
			t.Fatal(err)
		}
	}
	return root
}

// TestSeveral builds, packs, verifies and validates the plugins of a monorepo, one of which does not build.
func TestSeveral(t *testing.T) {
	t.Parallel()
	root := monorepo(t, "a", "b", "broken")
	broken := filepath.Join(root, "plugins", "broken")
	testkit.WriteFile(t, filepath.Join(broken, "src", "module.js"), "import './none';\n")
	run := func(name string, exit int, do func(w *os.File) error, want ...string) {
		t.Helper()
		w, printed := captured(t)
		err := do(w)
		text := printed()
		if err != nil {
			text += err.Error()
		}
		for _, want := range want {
			if code(err) != exit || !strings.Contains(text, filepath.FromSlash(want)) {
				t.Errorf("%s: exit status %d, want %d and %q in\n%s", name, code(err), exit, want, text)
			}
		}
	}
	run("build", ExitFindings, func(w *os.File) error { return runBuild(t.Context(), w, BuildOptions{Dir: root, All: true}) },
		"plugins/a/dist in ", "plugins/b/dist in ", "slipway: build: ", "build: 1 of 3 plugins failed: ")
	testkit.OK(t, os.RemoveAll(broken))
	a, b := filepath.Join(root, "plugins", "a"), filepath.Join(root, "plugins", "b")
	run("package", ExitOK, func(w *os.File) error { return runPackage(t.Context(), w, packageOptions{Paths: []string{a, b}}) },
		"acme-a-panel-0.1.0.zip", "acme-b-panel-0.1.0.zip", "package: done for 2 plugins")
	run("package with one id twice", ExitUsage, func(w *os.File) error {
		return runPackage(t.Context(), w, packageOptions{Paths: []string{a, a}, Out: t.TempDir()})
	}, "which has the same id acme-a-panel", "1 of 2 plugins failed")
	run("verify", ExitOK, func(w *os.File) error { return runVerify(t.Context(), w, verifyOptions{Dir: root, All: true}) },
		"acme-a-panel-0.1.0.zip\n", "acme-b-panel-0.1.0.zip\n", "verify: done for 2 plugins")
	releases := []string{filepath.Join(a, "release"), filepath.Join(b, "release", "acme-b-panel-0.1.0.zip")}
	run("verify paths", ExitOK, func(w *os.File) error { return runVerify(t.Context(), w, verifyOptions{Paths: releases}) },
		"acme-a-panel-0.1.0.zip\n", "acme-b-panel-0.1.0.zip\n")
	run("validate --all", ExitOK, func(w *os.File) error {
		return runValidate(t.Context(), w, validateOptions{Paths: []string{root}, All: true})
	},
		"in 2 plugin.json files")
	run("validate one path twice", ExitOK, func(w *os.File) error {
		return runValidate(t.Context(), w, validateOptions{Paths: []string{a, filepath.Join(a, "src"), a}, Strict: true})
	}, "no findings in 1 plugin.json file")
	twin := filepath.Join(root, "plugins", "twin")
	testkit.OK(t, os.CopyFS(twin, os.DirFS(b)))
	run("validate --all with an id in two repositories", ExitFindings, func(w *os.File) error {
		return runValidate(t.Context(), w, validateOptions{Paths: []string{root}, All: true})
	}, "plugins/twin/src/plugin.json:", "plugins/b/src/plugin.json has the same id \"acme-b-panel\"", "1 error in 3 plugin.json files")
	testkit.OK(t, os.RemoveAll(twin))
	for _, format := range report.Formats() {
		run("validate zips as "+format.Name, ExitOK, func(w *os.File) error {
			return runValidate(t.Context(), w, validateOptions{Paths: releases, Format: format.Name})
		}, "")
	}

	// Each plugin has its own slipway.yaml.
	testkit.WriteFile(t, filepath.Join(a, "slipway.yaml"), "rules:\n  json-duplicate-key: off\n")
	for _, dir := range []string{a, b} {
		file := filepath.Join(dir, "src", "plugin.json")
		testkit.WriteFile(t, file, strings.Replace(testkit.ReadFile(t, file), "{", `{"type": "panel",`, 1))
	}
	w, printed := captured(t)
	err := runValidate(t.Context(), w, validateOptions{Paths: []string{root}, All: true, Format: "json"})
	var report struct {
		Summary  struct{ Plugins int }
		Findings []struct{ Rule, File string }
	}
	if jsonErr := json.Unmarshal([]byte(printed()), &report); jsonErr != nil || code(err) != ExitFindings || report.Summary.Plugins != 2 || len(report.Findings) != 1 ||
		!strings.HasSuffix(report.Findings[0].File, "plugins/b/src/plugin.json") {
		t.Errorf("%v, %v: %+v", err, jsonErr, report)
	}
}

func TestSeveralRefused(t *testing.T) {
	t.Parallel()
	root := monorepo(t, "a", "b")
	dirs := []string{filepath.Join(root, "plugins", "a"), filepath.Join(root, "plugins", "b")}
	for _, dir := range dirs {
		testkit.WriteFile(t, filepath.Join(dir, "dist", "plugin.json"), testkit.ReadFile(t, filepath.Join(panel(t, false), "src", "plugin.json")))
	}
	w, printed := captured(t)
	junk := filepath.Join(root, "junk.zip")
	testkit.WriteFile(t, junk, "junk")
	if err := runValidate(t.Context(), w, validateOptions{Paths: []string{dirs[0], junk}}); code(err) != ExitBroken ||
		!strings.Contains(printed(), "junk.zip: not checked: not a valid zip file") || !strings.Contains(printed(), "in 1 plugin.json file") {
		t.Errorf("a file that is no zip: %v\n%s", err, printed())
	}
	w, printed = captured(t)
	img := filepath.Join(dirs[0], "src", "img")
	if err := runValidate(t.Context(), w, validateOptions{Path: img}); code(err) != ExitFindings || !strings.Contains(printed(), "note: "+filepath.ToSlash(img)+" is a part of the plugin repository ") {
		t.Errorf("a part of a plugin: %v\n%s", err, printed())
	}
	for name, err := range map[string]error{
		"--all: no plugin.json":               runBuild(t.Context(), w, BuildOptions{Dir: t.TempDir(), All: true}),
		"nothing to validate: ":               runValidate(t.Context(), w, validateOptions{Paths: append(dirs, filepath.Join(root, "none"))}),
		"is a URL, which is not downloaded":   runValidate(t.Context(), w, validateOptions{Paths: []string{dirs[0], "https://example.org/x.zip"}}),
		"release does not exist: name a dist": runVerify(t.Context(), w, verifyOptions{Paths: []string{"release"}}),
		"is not a built plugin":               runVerify(t.Context(), w, verifyOptions{Paths: dirs}),
		"--all: no plugin.json or src/plugin": runVerify(t.Context(), w, verifyOptions{Dir: t.TempDir(), All: true}),
	} {
		if code(err) != ExitUsage || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q: %v", name, err)
		}
	}
}
