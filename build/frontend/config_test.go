package frontend

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/config"
)

// Rules decide how files are loaded, and slipway.yaml before them.
func TestRules(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"webpack.config.ts": `export default { externals: [], resolve: { extensions: ['...', '.vert'] }, module: { rules: [
  { test: /\.svg$/, issuer: /other/, type: 'asset/inline' }, { test: /\.vert$/, use: ['raw-loader'] }, { test: /\.md$/, type: 'asset/source' },
  { test: /\.bin$/, use: 'null-loader' }, { test: /\.hdr$/, use: [{ loader: 'file-loader' }] }, { test: /\.gif$/, loader: 'url-loader', options: { limit: 4 } },
  { test: /\.ya?ml$/, use: 'yaml-loader' },
] } };`,
		"src/module.ts": `import a from './a.svg'; import { b } from './other'; import c from './c'; import d from './d.md'; import * as e from './e.bin';
import f from './f.hdr'; import g from './g.gif'; import h from './h.gif'; import i from './i.yaml'; import './j.yaml';
export const plugin = [a, b, c, d, Object.keys(e).length, f, g, h, i].join(' ');`,
		"src/other.ts": "import b from './a.svg'; export { b };",
		"src/a.svg":    "<svg/>", "src/c.vert": "void main", "src/d.md": "# D", "src/e.bin": "e", "src/f.hdr": "f", "src/g.gif": "123", "src/h.gif": "12345", "src/i.yaml": "i: 1", "src/j.yaml": "j: 1",
	}
	_, err := bundle(t, files)
	const want = `src/module.ts:2:90: the configuration of the bundler loads .yaml files with yaml-loader, which builds do not run (and 1 more import)
  help: choose below "frontend" in slipway.yaml, as in loader: {".yaml": text}, how such files are loaded, or `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got the error\n%v\nwant\n%s", err, want)
	}
	r := mustBundle(t, files, func(o *Options) {
		o.Substitutions.Loader = map[string]string{".yaml": "text", ".md": "empty"}
	})
	_, exports := load(t, r, map[string]string{"module": "{ uri: 'https://host/public/plugins/acme-x-panel/module.js' }"})
	got := exports.Get("plugin").String()
	for _, want := range []string{"https://host/public/plugins/acme-x-panel/a-", " data:image/svg+xml,<svg/> void main [object Object] ", " 1 https://host/public/plugins/acme-x-panel/f-",
		" data:image/gif,123 https://host/public/plugins/acme-x-panel/h-", ".gif i: 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %q", got, want)
		}
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), `webpack.config.ts:4:29: files that match /\.ya?ml$/ go through yaml-loader`) {
		t.Errorf("warnings %v", r.Warnings)
	}
}

// Without a rule, slipway.yaml can say how files of packages are loaded.
func TestLoaders(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/module.ts": "import x from 'dep'; import './a.css'; export const plugin = x;",
		"src/a.css":     ".a { background: url(a.cur) }", "src/a.cur": "cursor",
		"node_modules/dep/index.js": "import a from './a.hdr'; import b from './b.tpl'; import c from './c.data'; export default [a, b, c.d].join();",
		"node_modules/dep/a.hdr":    "a", "node_modules/dep/b.tpl": "text of b", "node_modules/dep/c.data": `{"d": 7}`,
	}
	_, err := bundle(t, files)
	const want = `no loader for .hdr files
  help: write below "frontend" in slipway.yaml how to load them, as in loader: {".hdr": file}, or `
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error\n%v\nwant\n%s", err, want)
	}
	r := mustBundle(t, files, func(o *Options) {
		o.Substitutions = config.Substitutions{Loader: map[string]string{".hdr": "file", ".tpl": "text", ".data": "json", ".cur": "file"}}
	})
	_, exports := load(t, r, map[string]string{"module": "{ uri: 'https://host/public/plugins/acme-x-panel/module.js' }"})
	if got := exports.Get("plugin").String(); !strings.Contains(got, "/a-") || !strings.HasSuffix(got, ".hdr,text of b,7") {
		t.Errorf("plugin is %s", got)
	}
}

// An import can name the loaders of its file: those that builds have, or none.
func TestInlineLoaders(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/module.ts": "import a from '!raw-loader!./a.ts'; import b from '!!raw-loader!./a.ts'; import c from '-!file-loader!./c.bin'; export const plugin = [a, b, c].join();",
		"src/a.ts":      "text", "src/c.bin": "",
	}
	r := mustBundle(t, files)
	_, exports := load(t, r, map[string]string{"module": "{ uri: 'https://host/module.js' }"})
	if got := exports.Get("plugin").String(); !strings.HasPrefix(got, "text,text,https://host/c-") {
		t.Errorf("plugin is %s", got)
	}
	files["src/module.ts"] = "import W from 'worker-loader?inline=true!./a'; export const plugin = W;"
	want := "src/module.ts:1:15: the import goes through worker-loader?inline=true, which builds do not run\n  help: build the frontend with"
	if _, err := bundle(t, files); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got the error\n%v\nwant\n%s", err, want)
	}
}

// Imports are replaced, ignored and taken from the host or from the page as the configuration says.
func TestReplacedRequests(t *testing.T) {
	t.Parallel()
	r := mustBundle(t, map[string]string{
		"rspack.config.ts": `import { rspack } from '@rspack/core'; import path from 'path';
export default { externals: ['react', { jq: 'var page.$', old: 'new' }, ({ request }, done) => (/^host/.test(request) ? done(null, request.slice(5)) : done())],
  resolve: { fallback: { 'lib/deep': path.resolve('src/lib.ts') }, modules: ['vendor', 'node_modules'] },
  plugins: [
    new rspack.NormalModuleReplacementPlugin(/^env$/, './env.prod'),
    new rspack.NormalModuleReplacementPlugin(/mock$/, (of) => { of.request = of.request.replace('mock', 'real'); }),
    new rspack.NormalModuleReplacementPlugin(/src\/slow\.ts$/, 'fast.ts'),
    new rspack.IgnorePlugin({ resourceRegExp: /^\.\/locale$/, contextRegExp: /src/ }),
  ] };`,
		"src/module.ts": `import env from 'env'; import m from './mock'; import s from './slow'; import react from 'react'; import app from 'host/app'; import jq from 'jq';
import old from 'old'; import lib from 'lib/deep'; import mine from 'mine';
let locale = 'none'; try { require('./locale'); locale = 'some'; } catch (e) { locale = e.code; }
export const plugin = [env, m, s, react, app, jq, old, lib, mine, locale].join();`,
		"src/env.prod.ts": "export default 'production';", "src/real.ts": "export default 'real';", "src/slow.ts": "export default 'slow';",
		"src/fast.ts": "export default 'fast';", "src/locale.ts": "export {};", "src/lib.ts": "export default 'lib';", "vendor/mine.js": "export default 'mine';",
	})
	if got := strings.Join(r.Shared, " "); got != "app new react" {
		t.Errorf("shared: %s", got)
	}
	code := strings.ReplaceAll(file(t, r, "module.js"), "page.$", "'page'")
	for i := range r.Files {
		if r.Files[i].Path == "module.js" {
			r.Files[i].Contents = []byte(code)
		}
	}
	_, exports := load(t, r, map[string]string{"react": "'react'", "app": "'app'", "new": "'new'"})
	if got, want := exports.Get("plugin").String(), "production,real,fast,react,app,page,new,lib,mine,MODULE_NOT_FOUND"; got != want {
		t.Errorf("plugin is %s, want %s", got, want)
	}
	_, err := bundle(t, map[string]string{"webpack.config.js": "module.exports = { externals: { x: 'commonjs2 y' } }", "src/module.ts": "import x from 'x'; export const plugin = x;"})
	if want := `the configuration of the bundler takes "x" from commonjs2 y, which hosts do not provide: they provide AMD modules`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v, want %s", err, want)
	}
}

// Style sheets that are entries, and files that are copied, are in dist: of a package also if it is in the cache only.
func TestFilesOfConfiguration(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{"node_modules/globe/workers/w.js": "work", "node_modules/globe/package.json": "{}"})
	files := map[string]string{
		".config/webpack/webpack.config.ts": `import Copy from 'copy-webpack-plugin'; import Css from 'mini-css-extract-plugin'; import path from 'path';
export default { context: path.resolve('src'), externals: ['x'], entry: { module: './module.ts', dark: './sass/night.css' },
  plugins: [new Css({ filename: 'styles/[name].css' }), new Copy({ patterns: [
    { from: path.resolve(__dirname, '../../node_modules/globe/workers'), to: 'Workers' }, { from: '../INSTALL.md', to: '.' }, { from: 'img', to: 'img' },
  ] })] };`,
		"src/module.ts":      "import { loadPluginCss } from 'x'; loadPluginCss({ dark: 'plugins/acme-x-panel/styles/dark.css' }); export const plugin = 1;",
		"src/sass/night.css": ".n { background: url(../img/dot.png) }", "src/img/dot.png": "dot", "INSTALL.md": "install", "src/part/module.ts": "export const plugin = 2;",
	}
	set := func(o *Options) { o.Packages, o.MapDir = provider{dir: cache}, o.Source }
	r := mustBundle(t, files, set)
	if got := file(t, r, "Workers/w.js") + file(t, r, "INSTALL.md") + file(t, r, "styles/dark.css"); !strings.HasPrefix(got, `workinstall.n{background:url("../dot-`) {
		t.Errorf("files have %s", got)
	}
	for _, f := range r.Files {
		if strings.HasPrefix(f.Path, "img/") { // which a build copies from the sources
			t.Errorf("dist has %s from the configuration", f.Path)
		}
	}
	// Nested plugins leave that to the plugin which contains them.
	r, err := bundle(t, files, set, func(o *Options) { o.Source = filepath.Join(o.Source, "part") })
	if err != nil || len(r.Files) != 2 {
		t.Errorf("a nested plugin: %v, %v", r, err)
	}
	delete(files, "INSTALL.md")
	if _, err := bundle(t, files, set); err == nil || !strings.Contains(err.Error(), "no file matches INSTALL.md") {
		t.Errorf("a missing file: %v", err)
	}
}
