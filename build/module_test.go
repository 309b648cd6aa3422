package build

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// fakeBundler returns a bundle that names the frontend.
type fakeBundler struct {
	bundle Module
	err    error
}

func (f fakeBundler) Bundle(_ context.Context, in Frontend) (*Module, error) {
	b := f.bundle
	if b.Files == nil {
		b.Files = map[string][]byte{"module.js": []byte(in.PluginID), "module.js.map": []byte("{}"), "logo-1.svg": []byte("<svg/>")}
	}
	return &b, f.err
}

const appJSON = `{"id": "acme-x-app", "name": "X", "type": "app", "info": {"keywords": ["x"], "description": "x",
	"logos": {"small": "img/logo.svg", "large": "img/logo.svg"}, "updated": "%TODAY%", "version": "1.0.0"},
	"dependencies": {"KEY": ">=10.3.0"}INCLUDES}`

const appIncludes = `, "includes": [{"type": "panel", "name": "X", "path": "panel/plugin.json"}, {"type": "panel", "name": "X", "path": "plain/plugin.json"}]`

// app writes the repository of an app in TypeScript with a nested panel.
func app(t *testing.T, key string) string {
	t.Helper()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json":            strings.NewReplacer("KEY", key, "INCLUDES", appIncludes).Replace(appJSON),
		"src/module.ts":              "export const plugin = 1;",
		"src/util.js":                "source",
		"src/app.css":                "source",
		"src/locales/en.json":        "{}",
		"src/libs/vendored.js":       "kept",
		"src/img/logo.svg":           "<svg/>",
		"src/panel/plugin.json":      strings.NewReplacer("acme-x-app", "acme-y-panel", `"app"`, `"panel"`, "KEY", key, "INCLUDES", "", "img/", "../img/").Replace(appJSON),
		"src/panel/module.tsx":       "export const plugin = 2;",
		"src/plain/plugin.json":      strings.NewReplacer("acme-x-app", "acme-z-panel", `"app"`, `"panel"`, "KEY", key, "INCLUDES", "", "img/", "../img/").Replace(appJSON),
		"src/plain/module.js":        "define([], function () {});",
		"src/node_modules/a/main.ts": "",
	})
	return dir
}

func TestBundledFrontends(t *testing.T) {
	t.Parallel()
	dir := app(t, "serviceDependency")
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"),
		strings.NewReplacer("KEY", "serviceDependency", "INCLUDES", appIncludes+`, "preload": true`).Replace(appJSON))
	bundler := fakeBundler{bundle: Module{
		Warnings: []string{"src/module.ts:1:1: odd"}, Extensions: json.RawMessage(`[{"extensionPointId":"a","type":"link"}]`), OnDemand: 250_000,
	}}
	r, err := Plugin(t.Context(), Options{Dir: dir, Bundler: bundler, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join("src", "plugin.json") + `: with "preload", hosts load module.js when they start, also the 250 kB that only import() asks for
  help: leave "preload" out, unless the app must run before it is opened`
	if diff := cmp.Diff([]string{"src/module.ts:1:1: odd", large, "src/module.ts:1:1: odd"}, r.Warnings); diff != "" {
		t.Error(diff)
	}
	var files []string
	err = fs.WalkDir(os.DirFS(r.Dist), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"img/logo.svg", "libs/vendored.js", "locales/en.json", "logo-1.svg", "module.js", "module.js.map",
		"panel/logo-1.svg", "panel/module.js", "panel/module.js.map", "panel/plugin.json", "plain/module.js", "plain/plugin.json", "plugin.json"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"module.js": "acme-x-app", "panel/module.js": "acme-y-panel", "plain/module.js": "define([], function () {});"} {
		if text, err := os.ReadFile(filepath.Join(r.Dist, name)); err != nil || string(text) != want {
			t.Errorf("%s contains %q, %v", name, text, err)
		}
	}
	doc := parse(t, filepath.Join(r.Dist, "plugin.json"))
	if text, _ := doc.Text("/generated/extensions/0/extensionPointId"); text != "a" {
		t.Errorf("generated is %v", doc.Any())
	}
}

// An app may only group other plugins. What their bundles are made of is not copied, and neither is a dist
// in src.
func TestGroupOfPlugins(t *testing.T) {
	t.Parallel()
	dir := app(t, "serviceDependency")
	testkit.OK(t, os.Remove(filepath.Join(dir, "src", "module.ts")))
	for _, name := range []string{"src/dist/plugin.json", "src/dist/module.js", "src/panel/dist/module.js", "src/libs/x/dist/x.js"} {
		testkit.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), "{}")
	}
	p := mustPlan(t, Options{Dir: dir, Bundler: fakeBundler{}, CacheDir: t.TempDir()})
	var outputs []string
	for _, a := range p.Assets {
		outputs = append(outputs, a.To)
	}
	for _, f := range p.Frontends {
		outputs = append(outputs, f.output())
	}
	for name := range p.Documents() {
		outputs = append(outputs, name)
	}
	slices.Sort(outputs)
	want := []string{"img/logo.svg", "libs/vendored.js", "libs/x/dist/x.js", "locales/en.json", "panel/module.js", "panel/plugin.json",
		"plain/module.js", "plain/plugin.json", "plugin.json"}
	if diff := cmp.Diff(want, outputs); diff != "" {
		t.Error(diff)
	}
	testkit.OK(t, os.RemoveAll(filepath.Join(dir, "src", "panel")), os.RemoveAll(filepath.Join(dir, "src", "plain")))
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.NewReplacer("KEY", "serviceDependency", "INCLUDES", "").Replace(appJSON))
	_, err := MakePlan(t.Context(), Options{Dir: dir, Bundler: fakeBundler{}, CacheDir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "src has no frontend") {
		t.Errorf("without nested plugins: %v", err)
	}
}

// The profile decides where extensions are written; the author's own stay.
func TestExtensionsByProfile(t *testing.T) {
	t.Parallel()
	bundler := fakeBundler{bundle: Module{Extensions: json.RawMessage(`[1]`), Declared: json.RawMessage(`{"addedLinks": []}`)}}
	for key, want := range map[string]string{"serviceDependency": "/generated/extensions/0", "grafanaDependency": "/extensions/addedLinks"} {
		r := testkit.Must(Plugin(t.Context(), Options{Dir: app(t, key), Bundler: bundler, CacheDir: t.TempDir()}))(t)
		if doc := parse(t, filepath.Join(r.Dist, "plugin.json")); !doc.Has(want) {
			t.Errorf("%s: no %s in %v", key, want, doc.Any())
		}
	}
	dir := app(t, "grafanaDependency")
	file := filepath.Join(dir, "src", "plugin.json")
	own := appIncludes + `, "extensions": {"addedLinks": [{"targets": ["own"], "title": "x"}]}`
	testkit.WriteFile(t, file, strings.NewReplacer("KEY", "grafanaDependency", "INCLUDES", own).Replace(appJSON))
	r := testkit.Must(Plugin(t.Context(), Options{Dir: dir, Bundler: bundler, CacheDir: t.TempDir()}))(t)
	if text, _ := parse(t, filepath.Join(r.Dist, "plugin.json")).Text("/extensions/addedLinks/0/targets/0"); text != "own" {
		t.Errorf("the author's extensions became %q", text)
	}
}

// Only an ES module is bundled; a module that was bundled before is copied, even if it imports
// something when it runs.
func TestESModule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"import { A } from 'a';": true, "import*as A from 'a'": true, "\timport 'a.css'": true, "const a = 1;\nexport { a };": true, "export default 1": true,
		"define([], function () {});": false, "define([], function () {\nimport('a');\n});": false, "import.meta.url": false, "// to export\nSystem.register()": false,
	} {
		if got := esModule.MatchString(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func TestBundlerFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bundler Bundler
		want    string
	}{
		"an error":  {fakeBundler{err: errors.New("src/module.ts:1:1: unexpected")}, "src/module.ts:1:1: unexpected"},
		"packages":  {fakeBundler{err: ErrNotDownloaded}, ErrNotDownloaded.Error()},
		"traversal": {fakeBundler{bundle: Module{Files: map[string][]byte{"../x": nil}}}, "invalid file name"},
	} {
		dir := app(t, "serviceDependency")
		testkit.WriteFile(t, filepath.Join(dir, "dist", "module.js"), "previous")
		_, err := Plugin(t.Context(), Options{Dir: dir, Bundler: c.bundler, CacheDir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "dist", "module.js")); err != nil || string(text) != "previous" {
			t.Errorf("%s: dist contains %q, %v", name, text, err)
		}
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	program := func(script string) Program {
		file := filepath.Join(t.TempDir(), "bundler")
		testkit.WriteFile(t, file, "#!/bin/sh\n"+script+"\n")
		return Program{Path: func(context.Context) (string, error) { return file, nil }}
	}
	b, err := program(`grep -q '"pluginId":"a"' && echo '{"files": {"module.js": "eA=="}}'`).Bundle(t.Context(), Frontend{PluginID: "a"})
	if err != nil || string(b.Files["module.js"]) != "x" {
		t.Errorf("%v, %v", b, err)
	}
	for script, want := range map[string]string{"echo wrong >&2; exit 1": "wrong", "echo {": "read the bundle"} {
		if _, err := program(script).Bundle(t.Context(), Frontend{}); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrNotDownloaded) {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := program("echo missing >&2; exit 3").Bundle(t.Context(), Frontend{}); !errors.Is(err, ErrNotDownloaded) || err.Error() != "missing" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	started, stopped := filepath.Join(dir, "started"), filepath.Join(dir, "stopped")
	go func() {
		for !exists(started) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	waiting := program("trap 'touch " + stopped + "; exit 1' INT; touch " + started + "; while :; do sleep 0.01; done")
	if _, err := waiting.Bundle(ctx, Frontend{}); err == nil || !exists(stopped) {
		t.Errorf("a canceled bundle: %v, and the program could clean up: %t", err, exists(stopped))
	}
	broken := Program{Path: func(context.Context) (string, error) { return "", errors.New("no Go") }}
	if _, err := broken.Bundle(t.Context(), Frontend{}); err == nil || err.Error() != "no Go" {
		t.Error(err)
	}
}

func parse(t *testing.T, file string) *bundle.Document {
	t.Helper()
	data := testkit.Must(os.ReadFile(file))(t)
	return testkit.Must(bundle.ParseDocument(file, data))(t)
}
