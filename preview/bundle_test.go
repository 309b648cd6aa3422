package preview

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// modules makes a node_modules with libraries that say who they are.
func modules(t *testing.T, dir string, more map[string]string) Libraries {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"@grafana/ui", "@grafana/data", "@grafana/runtime"} {
		files[name+"/package.json"] = `{"version": "12.4.0", "sideEffects": false, "exports": {".": "./index.js"}, "dependencies": {"router": "5"}}`
		files[name+"/index.js"] = `import * as React from 'react'; export const who = '` + name + `' + React.who`
	}
	for _, name := range []string{"react", "react-dom"} {
		files[name+"/package.json"] = `{"version": "18.3.1"}`
		files[name+"/index.js"] = `exports.who = 'the only ` + name + ` ' + process.env.NODE_ENV + global.x`
	}
	for _, worker := range []string{"editor/editor", "language/json/json", "language/typescript/ts", "language/css/css", "language/html/html"} {
		files["monaco-editor/esm/vs/"+worker+".worker.js"] = "self.worker = 1"
	}
	files["monaco-editor/package.json"] = `{"version": "0.34.1"}`
	maps.Copy(files, more)
	testkit.WriteFiles(t, filepath.Join(dir, "node_modules"), files)
	l, ok := installed(dir)
	if !ok {
		t.Fatal("the libraries are not complete")
	}
	return l
}

func page(text string) fstest.MapFS {
	return fstest.MapFS{"page.ts": {Data: []byte(text)}, "beside.ts": {Data: []byte("import './parts/a.css'")},
		"parts/a.tsx": {Data: []byte("export const a: number = 41")}, "parts/a.css": {Data: []byte("a { color: red }")}}
}

func TestBundle(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	l := modules(t, t.TempDir(), map[string]string{
		"@grafana/runtime/dist/esm/inside.mjs":         "export const inside = 'not exported'",
		"@grafana/ui/node_modules/react/package.json":  `{"version": "17.0.0"}`,
		"@grafana/ui/node_modules/react/index.js":      "exports.who = 'a second React'",
		"@grafana/ui/node_modules/router/package.json": `{"version": "5.0.0"}`,
		"@grafana/ui/node_modules/router/index.js":     "exports.version = 'router 5'",
		"router/package.json":                          `{"version": "6.0.0"}`,
		"router/index.js":                              "exports.version = 'router 6'",
		"@grafana/ui/index.mjs":                        "import size from 'calculate-size'; export const size2 = size('default')",
		"calculate-size/package.json":                  `{"version": "1.0.0", "main": "lib/index.js"}`,
		"calculate-size/lib/index.js":                  "Object.defineProperty(exports, '__esModule', {value: true}); exports.default = (x) => x",
		"font-awesome/css/font-awesome.css": `@font-face { font-family: FontAwesome; src: url('../fonts/fontawesome-webfont.eot?v=4'); src: ` +
			`url('../fonts/fontawesome-webfont.woff2?v=4') format('woff2'), url('../fonts/fontawesome-webfont.svg?v=4#x') format('svg') }`,
		"font-awesome/fonts/fontawesome-webfont.woff2": "woff2",
		"lazy/package.json":                            `{"version": "1.0.0"}`,
		"lazy/index.js":                                "export const lazy = 'split off'",
	})
	o := BundleOptions{Libraries: l, CacheDir: cache, Page: page(`
		import * as ui from '@grafana/ui';
		import { version } from 'router';
		import { inside } from '@inside/@grafana/runtime/dist/esm/inside.mjs';
		import { setter } from '@inside/@grafana/runtime/dist/esm/moved.mjs';
		import * as refresh from 'react-refresh/runtime';
		import { size2 } from '@inside/@grafana/ui/index.mjs';
		import { a } from './parts/a';
		import './parts/a.css';
		import 'font-awesome/css/font-awesome.css';
		console.log(ui.who, version, inside, setter, refresh, size2, a, import('lazy'));`)}
	p := testkit.Must(Bundle(t.Context(), o))(t)
	text := read(t, p, "page.js")
	// moved.mjs and react-refresh are missing.
	for _, want := range []string{"@inside/@grafana/runtime/dist/esm/moved", "react-refresh/runtime", "the only react development", "globalThis.x", "router 5", "not exported", "41", "Object.assign(exports.default"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for _, no := range []string{"a second React", "router 6", "split off"} {
		if strings.Contains(text, no) {
			t.Errorf("%q is in %s", no, text)
		}
	}
	chunks, err := filepath.Glob(filepath.Join(p.Dir, "chunk-*.js"))
	if err != nil || !slices.ContainsFunc(chunks, func(name string) bool { return strings.Contains(read(t, p, filepath.Base(name)), "split off") }) {
		t.Errorf("no chunk for what is imported later: %v %v", chunks, err)
	}
	if css := read(t, p, "page.css"); !strings.Contains(css, "url(data:font/woff2,") || !strings.Contains(css, "fontawesome-webfont.svg?v=4#x") {
		t.Errorf("the font: %s", css)
	}
	if !strings.Contains(read(t, p, "page.css"), "red") || !strings.Contains(read(t, p, "beside.css"), "red") || !strings.Contains(read(t, p, "ts.worker.js"), "self.worker") {
		t.Error("the styles or the workers are missing")
	}
	o.Libraries.Extra = t.TempDir()
	testkit.WriteFiles(t, o.Libraries.Extra, map[string]string{"node_modules/react-refresh/package.json": `{"version": "1.0.0"}`, "node_modules/react-refresh/runtime.js": "exports.refresh = 'with Fast Refresh'"})
	more, err := Bundle(t.Context(), o)
	if err != nil || !strings.Contains(read(t, more, "page.js"), "with Fast Refresh") || !o.Libraries.HasRefresh() || l.HasRefresh() {
		t.Errorf("with Fast Refresh: %+v, %v", more, err)
	}
}

func read(t *testing.T, p *Page, name string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(filepath.Join(p.Dir, name)))(t)
	return string(text)
}

// A page is bundled once, and again when it, its mode or what a package manager installed changes.
func TestBundleOnce(t *testing.T) {
	t.Parallel()
	root, cache := t.TempDir(), t.TempDir()
	o := BundleOptions{Libraries: modules(t, root, nil), CacheDir: cache, Page: page("console.log(1)")}
	bundle := func() string {
		t.Helper()
		p := testkit.Must(Bundle(t.Context(), o))(t)
		return p.Dir
	}
	first := bundle()
	marker := filepath.Join(first, "marker")
	testkit.OK(t, os.WriteFile(marker, nil, 0o644))
	if again := bundle(); again != first {
		t.Error("bundled again without a change")
	}
	if _, err := os.Stat(marker); err != nil {
		t.Error(err)
	}
	testkit.WriteFile(t, filepath.Join(root, "node_modules/.package-lock.json"), "{}")
	installed := bundle()
	o.Page = page("console.log(2)")
	changed := bundle()
	if installed == first || changed == installed {
		t.Error("not bundled again after a change")
	}
	other := t.TempDir()
	o.Libraries = modules(t, other, map[string]string{".package-lock.json": "{}"})
	if bundle() == changed {
		t.Error("the page of another repository is used, whose packages may differ")
	}
	old := time.Now().Add(-2 * unusedFor)
	testkit.OK(t, os.Chtimes(first, old, old))
	o.Page = page("console.log(3)")
	bundle()
	if _, err := os.Stat(first); err == nil {
		t.Error("a page that nobody uses is kept")
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "preview", ".staging-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestBundleErrors(t *testing.T) {
	t.Parallel()
	l, cache := modules(t, t.TempDir(), map[string]string{"broken/package.json": "{}", "broken/index.js": "import 'none'"}), t.TempDir()
	_, err := Bundle(t.Context(), BundleOptions{Libraries: l, CacheDir: cache, Page: page("import 'broken'")})
	if err == nil || !strings.Contains(err.Error(), `"none"`) || !strings.Contains(err.Error(), "12.4.0") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Bundle(ctx, BundleOptions{Libraries: l, CacheDir: cache, Page: page("1")}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(filepath.Join(cache, "preview")); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}
