package frontend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// write writes the files of a repository and returns its directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	testkit.WriteFiles(t, root, files)
	return root
}

// bundle bundles the files of a repository.
func bundle(t *testing.T, files map[string]string, change ...func(*Options)) (*Result, error) {
	t.Helper()
	root := write(t, files)
	o := Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"}
	for _, f := range change {
		f(&o)
	}
	return Bundle(t.Context(), o)
}

func mustBundle(t *testing.T, files map[string]string, change ...func(*Options)) *Result {
	t.Helper()
	return testkit.Must(bundle(t, files, change...))(t)
}

// load runs module.js as a host does: define is called with the names of shared libraries and a
// function that gets them. A shared library is a JavaScript expression. It returns what the
// module exports.
func load(t *testing.T, r *Result, shared map[string]string) (vm *goja.Runtime, exports *goja.Object) {
	t.Helper()
	vm = goja.New()
	styles := []string{}
	for name, value := range map[string]any{
		"document": map[string]any{
			"baseURI":       "https://host/",
			"createElement": func(string) map[string]any { return map[string]any{} },
			"head":          map[string]any{"appendChild": func(s map[string]any) { styles = append(styles, s["textContent"].(string)) }},
		},
		"URL": func(call goja.ConstructorCall) *goja.Object {
			base, err := url.Parse(call.Argument(1).String())
			if err == nil {
				base, err = base.Parse(call.Argument(0).String())
			}
			if err != nil {
				panic(vm.NewGoError(err))
			}
			_ = call.This.Set("href", base.String())
			return nil
		},
		"styles": func() []string { return styles },
		"define": func(names []string, factory goja.Callable) {
			arguments := make([]goja.Value, len(names))
			for i, name := range names {
				value, ok := shared[name]
				if !ok {
					t.Errorf("module.js asks for %q", name)
				}
				object := testkit.Must(vm.RunString("(" + value + ")"))(t)
				arguments[i] = object
			}
			value := testkit.Must(factory(goja.Undefined(), arguments...))(t)
			if exports != nil {
				t.Error("define is called a second time")
			}
			exports = value.ToObject(vm)
		},
	} {
		testkit.OK(t, vm.Set(name, value))
	}
	testkit.OK(t, vm.Get("define").ToObject(vm).Set("amd", map[string]any{}))
	testkit.Must(vm.RunString(file(t, r, "module.js")))(t)
	if exports == nil {
		t.Fatal("module.js defines nothing")
	}
	return vm, exports
}

func file(t *testing.T, r *Result, name string) string {
	t.Helper()
	for _, f := range r.Files {
		if f.Path == name {
			return string(f.Contents)
		}
	}
	t.Fatalf("no %s in the bundle", name)
	return ""
}

func text(t *testing.T, vm *goja.Runtime, exports *goja.Object, name string) string {
	t.Helper()
	v := exports.Get(name)
	if v == nil {
		t.Fatalf("no export %q among %v", name, exports.Keys())
	}
	if f, ok := goja.AssertFunction(v); ok {
		v = testkit.Must(f(goja.Undefined()))(t)
	}
	return v.String()
}

// Everything that a frontend of this field imports, in one.
func TestBundle(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tsconfig.json": `{"extends": "@grafana/tsconfig", "compilerOptions": {"baseUrl": "src", "paths": {"@/*": ["./*"]}}}`,
		"src/module.tsx": `
import React, { type FC } from 'react';
import { PanelPlugin, type PanelProps } from '@grafana/data';
import { Props } from './types';
import { mapped } from '@/lib/mapped';
import { based } from 'lib/mapped';
import logo, * as all from './img/logo.svg';
import raw from './query.sql?raw';
import address from './query.sql?url';
import data from './data.json';
import './panel.css';
import local from './local.module.css';
import { old } from 'grafana/app/core/time';
class Worker { url: string; constructor(u: URL) { this.url = u.href; } }
export const View: FC<Props & PanelProps> = (p) => <b title={p.title}>{mapped}</b>;
export const plugin = new PanelPlugin(View);
export const strings = [mapped, based, logo, raw, address, data.deep.value, local.box.length > 0, old, React.version].join('|');
export const worker = new Worker(new URL('./work.worker.ts', import.meta.url)).url;
export const picture = new URL('./img/logo.svg', import.meta.url).href;
declare let __webpack_public_path__: string;
export const font = __webpack_public_path__ + 'fonts/a.woff2';
export const lazy = () => import('./lazy').then((m) => m.answer);
export { all };
`,
		"src/types.ts":         "export interface Props { title: string }",
		"src/lib/mapped.ts":    "export const mapped = 'mapped'; export const based = 'based';",
		"src/img/logo.svg":     "<svg/>",
		"src/img/back.png":     "png",
		"src/query.sql":        "SELECT 1",
		"src/data.json":        `{"deep": {"value": 42}}`,
		"src/panel.css":        ".panel { background: url(./img/back.png) }",
		"src/local.module.css": ".box { color: red }",
		"src/lazy.ts":          "export const answer = 'lazy';",
		"src/work.worker.ts":   "import { mapped } from './lib/mapped'; postMessage(mapped);",
	}
	shared := map[string]string{
		"react":             `{version: "18"}`,
		"react/jsx-runtime": `{jsx: (kind, p) => p}`,
		"@grafana/data":     `{PanelPlugin: class {}}`,
		"app/core/time":     `{old: "old"}`,
		"module":            `{uri: "https://cdn/acme/module.js"}`,
	}
	externals := "export const externals: X = [\n  // a comment\n  'react',\n  'react/jsx-runtime',\n  /^@grafana\\/data/i,\n];\n"
	files[".config/bundler/externals.ts"] = externals
	r := mustBundle(t, files)
	if len(r.Warnings) > 0 {
		t.Errorf("warnings: %v", r.Warnings)
	}
	if diff := cmp.Diff([]string{"@grafana/data", "app/core/time", "react"}, r.Shared); diff != "" {
		t.Error(diff)
	}
	vm, exports := load(t, r, shared)
	got := text(t, vm, exports, "strings")
	parts := strings.Split(got, "|")
	if len(parts) != 9 {
		t.Fatalf("strings are %q", got)
	}
	for i, want := range []string{"mapped", "based", "https://cdn/acme/logo-*.svg", "SELECT 1", "https://cdn/acme/query-*.sql", "42", "true", "old", "18"} {
		if ok, err := filepath.Match(want, parts[i]); !ok || err != nil {
			// Match does not let * stand for a slash, which none of these has there.
			t.Errorf("string %d is %q, want %q", i, parts[i], want)
		}
	}
	if got := text(t, vm, exports, "worker"); !strings.Contains(got, "https://cdn/acme/work.worker-") || !strings.HasSuffix(got, ".js") {
		t.Errorf("the worker is at %q", got)
	}
	if got := text(t, vm, exports, "picture"); !strings.Contains(got, "https://cdn/acme/logo-") {
		t.Errorf("the picture is at %q", got)
	}
	if got := text(t, vm, exports, "font"); got != "https://cdn/acme/fonts/a.woff2" {
		t.Errorf("the font is at %q", got)
	}
	styles := testkit.Must(vm.RunString("styles().join()"))(t)
	if s := styles.String(); !strings.Contains(s, "https://cdn/acme/back-") || !strings.Contains(s, "red") || strings.Contains(s, basePlaceholder) {
		t.Errorf("styles are %q", s)
	}
	if worker := bySuffix(t, r, ".js", "work.worker-"); !strings.Contains(worker, "mapped") || strings.Contains(worker, "define(") {
		t.Errorf("the worker is %q", worker)
	}
	if _, err := vm.RunString("1"); err != nil {
		t.Error(err)
	}
	lazy, _ := goja.AssertFunction(exports.Get("lazy"))
	promise := testkit.Must(lazy(goja.Undefined()))(t)
	if p := promise.Export().(*goja.Promise); p.State() != goja.PromiseStateFulfilled || p.Result().String() != "lazy" {
		t.Errorf("the dynamic import gave %v", p.Result())
	}
	// The second bundle is the same, whatever the directory is called.
	again := mustBundle(t, files)
	if diff := cmp.Diff(r.Files, again.Files); diff != "" {
		t.Error(diff)
	}
}

// Libraries that prefer AMD to CommonJS do not see the host's define, as webpack has it, and a plugin
// may use the name.
func TestLibrariesThatPreferAMD(t *testing.T) {
	t.Parallel()
	const otherwise = "typeof module=='object'&&module.exports?module.exports=f(require('dep')):r.x=f(r.dep)})(this,function(dep){return {ok:'ok '+dep.name}})"
	libraries := map[string]string{
		"none":    "(function(r,f){typeof define=='function'&&define.amd?define([],f):" + otherwise,
		"some":    "(function(r,f){typeof define==='function'&&typeof define.amd==='object'&&define.amd?define('some',['dep'],f):" + otherwise,
		"late":    "(function(r){var x={ok:'ok late'};if(typeof define==='function'&&define.amd){define(function(){return x})}else if(typeof module!=='undefined'&&module.exports){module.exports=x}else{r.late=x}})(this)",
		"exports": "(function(g,f){typeof define==='function'&&define.amd?define(['exports'],f):typeof exports==='object'&&typeof exports.nodeName!=='string'?f(exports):f(g.e={})})(this,function(e){e.ok='ok exports'})",
	}
	const module = "import none from 'none';\nimport * as some from 'some';\nimport late from 'late';\nimport { ok } from 'exports';\n" +
		"const define = ' own';\nexport const oks = [none.ok, some.ok, late.ok, ok].join() + define;\n"
	const want = "ok dep,ok dep,ok late,ok exports own"
	files := map[string]string{"node_modules/dep/package.json": `{"name": "dep"}`, "node_modules/dep/index.js": "exports.name = 'dep'"}
	for name, text := range libraries {
		files["node_modules/"+name+"/package.json"], files["node_modules/"+name+"/index.js"] = `{"name": "`+name+`"}`, text
	}
	for _, dev := range []bool{false, true} {
		files["src/module.js"] = module
		r := mustBundle(t, files, func(o *Options) { o.Dev = dev })
		vm, exports := load(t, r, nil)
		if got := text(t, vm, exports, "oks"); got != want {
			t.Errorf("dev %v: %q, want %q", dev, got, want)
		}
		files["src/module.js"] = module + "await 0;\n"
		r = mustBundle(t, files, func(o *Options) { o.Dev = dev })
		_, exports = load(t, r, nil)
		if p, ok := exports.Export().(*goja.Promise); !ok || p.State() != goja.PromiseStateFulfilled || p.Result().ToObject(nil).Get("oks").String() != want {
			t.Errorf("dev %v: the asynchronous module is %v", dev, exports)
		}
	}
}

// A file that is an AMD module and nothing else is one, wherever it is.
func TestAMDModules(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"define(['lodash', './own'], function (_, own) { return { kind: _.x + own.x } })":                             "lodash own",
		"/* a */ define('name', ['lodash'], (_) => ({ kind: _.x }));":                                                 "lodash",
		"define(function (require, exports, module) { var _ = require('lodash'); exports.kind = _.x; })":              "lodash",
		"define(function (require, exports, module) {\n  module.exports = { kind: require('./own').x };\n})":          " own",
		"define('name', (require) => ({ kind: require('./own').x }))":                                                 " own",
		"define(['exports', 'lodash'], function (e, _) { e.kind = _.x })":                                             "lodash",
		"define([\"require\", \"exports\", './own'], function (require, exports, own) { exports.kind = own.x })":      " own",
		"exports.kind = typeof define !== 'function' || !define.amd ? require('none') : 'asked ' + typeof define.amd": "asked object",
		"define({ kind: 'value' })":                     "value",
		"var own = { kind: 'a variable' }; define(own)": "a variable",
		"(function (f) { if (typeof define === 'function' && define.amd) define(['lodash'], f); else window.f = f })(_ => ({kind: _.x}))": "lodash",
		"(function () { function define(x) { exports.kind = x } define('its own') })()":                                                   "its own",
		"define(list, function () {})":            "!1:1: the dependencies of an AMD module are not a list",
		"\n  define(['a' + 'b'], function () {})": "!2:3: the dependencies of an AMD module are not a list",
		"define(['none'], function () {})":        `!1:17: cannot find the package "none"`,
		"define((r) => ({ kind: (() => { try { r('lodash') } catch (e) { return e.message } })() }))": "an AMD module calls require, which is not bundled",
	} {
		for _, file := range []string{"src/old/index.js", "node_modules/old/index.js"} {
			r, err := bundle(t, map[string]string{
				file: code, strings.Replace(file, "index", "own", 1): "exports.x = ' own';", "node_modules/old/package.json": `{"name": "old"}`,
				"src/module.ts": "import old from '../" + file + "';\nexport const plugin = (old as any).kind;\n",
			})
			if problem, ok := strings.CutPrefix(want, "!"); ok {
				if err == nil || !strings.Contains(err.Error(), file+":"+problem) {
					t.Errorf("%s: got the error %v, want %s", code, err, problem)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", code, err)
				continue
			}
			_, exports := load(t, r, map[string]string{"lodash": "{x: 'lodash'}"})
			if got := exports.Get("plugin").String(); got != want {
				t.Errorf("%s in %s: plugin is %q, want %q", code, file, got, want)
			}
		}
	}
}

// Only the entry decides what module.js exports: ES modules have no module, as in webpack's bundles, and
// CommonJS modules have one each.
func TestModuleExports(t *testing.T) {
	t.Parallel()
	const module = "export const text = 'lib';\n"
	for name, text := range map[string]string{
		"assigned": module + "try { module.exports = { text } } catch {}",
		"member":   module + "try { module.exports.wrong = 1 } catch {}",
		"umd": module + "(function (g, f) { typeof exports === 'object' && typeof module !== 'undefined' ? f(exports) : " +
			"typeof define === 'function' && define.amd ? define(['exports'], f) : typeof module === 'object' && module.exports ? " +
			"(module.exports = { wrong: 1 }) : f({}) })(this, (e) => { e.wrong = 1 })",
		"hot":      module + "if (module.hot) { throw 1 }\nif (module.exports || 'wrong' in module) { throw 2 }",
		"eval":     module + "try { (0, eval)('module.exports = 1') } catch {}",
		"commonjs": "this.text = 'lib'; module.exports = exports; exports.wrong = module.exports === this",
		"replaced": "module.exports = { text: 'lib' }",
	} {
		for _, await := range []string{"", "await 0;"} {
			for _, file := range []string{"src/lib.js", "node_modules/lib/index.js"} {
				r := mustBundle(t, map[string]string{
					file: text, "node_modules/lib/package.json": `{"name": "lib"}`, "tsconfig.json": `{"compilerOptions": {"baseUrl": "src"}}`,
					"src/module.ts": "import { text } from 'lib';\nexport const plugin = text;\n" + await,
				}, func(o *Options) { o.Dev = file == "src/lib.js" })
				_, exports := load(t, r, nil)
				if p, ok := exports.Export().(*goja.Promise); ok {
					exports = p.Result().ToObject(nil)
				}
				got := exports.Export().(map[string]any)
				delete(got, "__esModule") // which is not enumerable everywhere
				if diff := cmp.Diff(map[string]any{"plugin": "lib"}, got); diff != "" {
					t.Errorf("%s %s %s: %s", name, file, await, diff)
				}
			}
		}
	}
}

func TestExports(t *testing.T) {
	t.Parallel()
	for entry, tc := range map[string]struct {
		want   []string
		plugin string // what a host gets
	}{
		"export const plugin = 'own'; export type T = 1;":     {[]string{"plugin"}, "own"},
		"export * from './es'; export { b as c } from './es'": {[]string{"c", "plugin", "b"}, "es"},
		"export { plugin } from './cjs'; export default 1":    {[]string{"default", "plugin"}, "cjs"},
		"export * from './cjs'; export const other = 1;":      {nil, "cjs"},
		"import './text.txt'; export const plugin = 'own'":    {[]string{"plugin"}, "own"},
		"import './es'":          {[]string{}, ""},
		"exports.plugin = 'all'": {nil, "all"},
		"export = { plugin: 1 }": {nil, "1"},
	} {
		for _, dev := range []bool{false, true} {
			r := mustBundle(t, map[string]string{
				"src/module.ts": entry, "src/es.ts": "export const plugin = 'es', b = 1; export default 2;", "src/cjs.js": "exports.plugin = 'cjs';",
				"src/text.txt": "module.exports = f(x)",
			}, func(o *Options) { o.Dev = dev })
			slices.Sort(r.Exports)
			slices.Sort(tc.want)
			if diff := cmp.Diff(tc.want, r.Exports); diff != "" {
				t.Errorf("%s: %s", entry, diff)
			}
			_, exports := load(t, r, nil)
			if got := exports.Get("plugin"); got == nil && tc.plugin != "" || got != nil && got.String() != tc.plugin {
				t.Errorf("%s: plugin is %v, want %q", entry, got, tc.plugin)
			}
		}
	}
}

// A module that awaits at its top level is a promise of its exports.
func TestTopLevelAwait(t *testing.T) {
	t.Parallel()
	for _, dev := range []bool{false, true} {
		r := mustBundle(t, map[string]string{"src/module.ts": "import React, { version } from 'react';\nimport 'lodash';\nimport { unused } from 'rxjs';\n" +
			"const late = await Promise.resolve('late');\nexport const plugin = [late, version, React.version].join();\nexport { late as other };\nexport default 1;\n"},
			func(o *Options) { o.Dev = dev })
		_, exports := load(t, r, map[string]string{"react": `{version: "18"}`, "lodash": "{}", "rxjs": "{}"})
		p, ok := exports.Export().(*goja.Promise)
		if !ok || p.State() != goja.PromiseStateFulfilled {
			t.Fatalf("module.js is %v", exports)
		}
		want := map[string]any{"__esModule": true, "plugin": "late,18,18", "other": "late", "default": int64(1)}
		if diff := cmp.Diff(want, p.Result().Export()); diff != "" {
			t.Errorf("dev %v: %s", dev, diff)
		}
	}
}

func bySuffix(t *testing.T, r *Result, suffix, prefix string) string {
	t.Helper()
	for _, f := range r.Files {
		if strings.HasPrefix(f.Path, prefix) && strings.HasSuffix(f.Path, suffix) {
			return string(f.Contents)
		}
	}
	t.Fatalf("no %s*%s in the bundle", prefix, suffix)
	return ""
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string // File:Line:Column: Text, then "help: " and a part of Help
	}{
		"a package": {map[string]string{"src/module.ts": "\nimport { a } from '@x/y/deep';\nexport const b = a;\n"},
			[]string{`src/module.ts:2:19: cannot find the package "@x/y"`, "help: add it to package.json with the package manager, as in npm install @x/y"}},
		"a package that is not installed": {map[string]string{"src/module.ts": "import { a } from '@x/y/deep';\nexport const b = a;\n", "package.json": `{"devDependencies": {"@x/y": "1"}}`},
			[]string{`src/module.ts:1:19: cannot find the package "@x/y"`, "help: package.json lists it: install the packages, as with npm install"}},
		"a package that the workspace lists": {map[string]string{"src/module.ts": "export * from '@x/y';\n", "../.git/HEAD": "", "../package.json": `{"dependencies": {"@x/y": "1"}}`},
			[]string{`src/module.ts:1:15: cannot find the package "@x/y"`, "help: package.json lists it: install the packages, as with npm install"}},
		"a module that a package lacks": {map[string]string{"src/module.ts": "import { a } from 'x/deep';\nexport const b = a;\n", "node_modules/x/package.json": `{"exports": {".": "./i.js"}}`},
			[]string{`src/module.ts:1:19: cannot find "x/deep": the package has no such file, or its package.json does not export it`}},
		"a tag that is not closed": {map[string]string{"src/module.tsx": "export const a = () => {\n  return <p><b></p>;\n};\n"},
			[]string{`src/module.tsx:2:18: unexpected closing "p" tag does not match opening "b" tag`, "help: close the opening tag at src/module.tsx:2:14, or remove it"}},
		"JSX in TypeScript": {map[string]string{"src/module.ts": "export * from './a';\nexport * from './b';\n",
			"src/a.ts": "export const a = () => <p className=\"a\">b</p>;\n", "src/b.ts": "export const b = <i/>;"},
			[]string{"src/a.ts:1:27: JSX in a .ts file", "help: rename it to a.tsx, as TypeScript requires", "src/b.ts:1:20: JSX"}},
		"a type that is not closed": {map[string]string{"src/module.ts": "export const a = <T(x: T) => x;\n"}, []string{`src/module.ts:1:20: expected ">"`}},
		"Angular": {map[string]string{"src/module.js": "import kbn from 'app/core/utils/kbn';\nexport const k = kbn;\n"},
			[]string{`src/module.js:1:17: cannot find "app/core/utils/kbn"`, "help: own bundler"}},
		"a file": {map[string]string{"src/module.ts": "export * from './Other';\n"},
			[]string{`src/module.ts:1:15: cannot find "./Other"`, "help: case"}},
		"a file whose name has other letters": {map[string]string{"src/module.ts": "export * from 'pages/Home';\nexport * from 'parts/a';\n", "src/pages/home.ts": "", "src/parts/b.ts": "",
			"tsconfig.json": `{"compilerOptions": {"baseUrl": "src"}}`},
			[]string{`src/module.ts:1:15: cannot find "Home.ts"`, `src/module.ts:2:15: cannot find "parts/a"`, "help: case"}},
		"a URL": {map[string]string{"src/module.ts": "\nexport const u = new URL('./Other', import.meta.url);\n"},
			[]string{`src/module.ts:2:26: cannot find "./Other"`, "help: case"}},
		"a loader": {map[string]string{"src/module.ts": "import './x.less';\n", "src/x.less": ""},
			[]string{"src/module.ts:1:8: no loader for .less files", "help: own bundler"}},
		"a loader of templates": {map[string]string{"src/module.ts": "import './x.html';\n", "src/x.html": ""},
			[]string{"src/module.ts:1:8: no loader for .html files", `help: loader: {".html": text}`}},
		"PostCSS": {map[string]string{"src/module.ts": "import './x.css';\nimport './y.css';\n", "src/x.css": "/* @apply */\n.a { @apply p-4; }\n", "src/y.css": "@import 'tailwindcss';"},
			[]string{"src/x.css:2:6: @apply is for a plugin of PostCSS, which builds do not run", "src/y.css:1:10: tailwindcss is for", "help: own bundler"}},
		"PostCSS of a bundler": {map[string]string{"src/module.ts": "import './x.css';\n", "src/x.css": "@tailwind base;", "postcss.config.mjs": "",
			"webpack.config.js": "module.exports = {externals: [], module: {rules: [{test: /\\.css$/, use: ['style-loader', 'css-loader', 'postcss-loader']}]}};"},
			[]string{"src/x.css:1:1: @tailwind is for a plugin of PostCSS"}},
		"syntax": {map[string]string{"src/module.tsx": "export const a = ;\n"},
			[]string{`src/module.tsx:1:18: unexpected ";"`}},
		"a worker": {map[string]string{"src/module.ts": "export const w = new URL('./w.ts', import.meta.url);\n", "src/w.ts": "let = ;"},
			[]string{"src/w.ts:1:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := bundle(t, tc.files)
			wrong, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("%v is not an *Error", err)
			}
			for _, want := range tc.want {
				if part, isHelp := strings.CutPrefix(want, "help: "); isHelp {
					want = part
				}
				if !strings.Contains(wrong.Error(), want) {
					t.Errorf("%s\nwant %q", wrong, want)
				}
			}
		})
	}
	if _, err := bundle(t, map[string]string{"src/x.ts": ""}); err == nil || !strings.Contains(err.Error(), "no frontend") {
		t.Error(err)
	}
}

// unavailable provides no package, as if a registry had none.
type unavailable struct{}

func (unavailable) Dir(_ context.Context, _, name string) (string, bool, error) {
	return "", true, errors.New(name + "@1.0.0: gone")
}

// A missing package is one error, at its first import. Those of the repository come before those of packages.
func TestMissingPackages(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"src/module.ts":                  "import 'here'; import './view'; export * from 'dep'; export * from './a';",
		"src/a.ts":                       "export * from 'dep/sub'; import 'dep'; import 'alone/x.svg';",
		"src/b.tsx":                      "export const b = <i/>;",
		"src/view.tsx":                   "import './b'; import { jsx } from 'react/jsx-runtime'; export const v = jsx;",
		"node_modules/here/main.js":      "require('dep')",
		"node_modules/here/package.json": `{"main": "main.js"}`,
	}
	for name, tc := range map[string]struct {
		packages Packages
		want     []string
	}{
		"unavailable": {unavailable{}, []string{
			"src/a.ts:1:15: dep@1.0.0: gone (and 3 more imports)", "src/a.ts:1:47: alone@1.0.0: gone",
			"src/b.tsx:1:18: react@1.0.0: gone (for JSX, which imports react/jsx-runtime; and 1 more import)"}},
		"unknown": {nil, []string{
			`src/a.ts:1:15: cannot find the package "dep" (and 3 more imports)`, `src/a.ts:1:47: cannot find the package "alone"`,
			`src/b.tsx:1:18: cannot find the package "react" (for JSX, which imports react/jsx-runtime; and 1 more import)`}},
	} {
		_, err := bundle(t, files, func(o *Options) { o.Packages = tc.packages })
		wrong, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatalf("%s: %v is not an *Error", name, err)
		}
		var got []string
		for _, m := range wrong.Messages {
			got = append(got, m.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// provider provides packages from a directory.
type provider struct {
	dir string
	err error
}

func (p provider) Dir(_ context.Context, _, name string) (string, bool, error) {
	_, err := os.Stat(filepath.Join(p.dir, "node_modules", filepath.FromSlash(name)))
	return p.dir, err == nil, p.err
}

// Packages come from the provider where the repository has no node_modules, with the
// polyfills of the repository and without what it requires only if it is there.
func TestPackages(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{
		"node_modules/a/package.json":             `{"main": "./lib.js", "browser": {"crypto": false}}`,
		"node_modules/a/lib.js":                   "let c; try { c = require('worker_threads') } catch { c = 'none' }\nrequire('crypto'); exports.a = 'a' + require('timers').t + c;",
		"node_modules/timers-browserify/i.js":     "",
		"node_modules/timers-browserify/index.js": "exports.t = 't'",
		"node_modules/deep/package.json":          `{"exports": {"./sub": "./s.mjs"}}`,
		"node_modules/deep/s.mjs":                 "export const s = 's'",
	})
	files := map[string]string{
		"src/module.ts": "import { a } from 'a'; import { s } from 'deep/sub'; export const got = a + s;",
	}
	r := mustBundle(t, files, func(o *Options) { o.Packages = provider{dir: cache} })
	vm, exports := load(t, r, nil)
	if got := text(t, vm, exports, "got"); got != "atnones" {
		t.Errorf("got %q", got)
	}
	if !slices.Contains(r.Read, "src/module.ts") || len(r.Read) != 4 {
		t.Errorf("the bundle read %q", r.Read)
	}
	// What is laid out for types is not bundled, and in the way of a build for release.
	maps.Copy(files, map[string]string{"node_modules/.slipway-lockfile": "", "node_modules/a/index.js": "exports.a = 'stale'", "node_modules/deep/sub.js": "exports.s = 'stale'"})
	const want = "src/module.ts:1:19: node_modules was laid out for type checks, and would change how packages of the lockfile are bundled (and 1 more import)\n"
	if _, err := bundle(t, files, func(o *Options) { o.Packages = provider{dir: cache} }); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Error(err)
	}
	if _, err := bundle(t, files, func(o *Options) { o.Packages, o.IsDiscarded = provider{dir: cache}, true }); err != nil {
		t.Errorf("to download packages: %v", err)
	}
	r, err := bundle(t, files, func(o *Options) { o.Packages, o.Dev = provider{dir: cache}, true })
	if err != nil || strings.Contains(file(t, r, "module.js"), "stale") {
		t.Error("for development, packages of the node_modules for types are bundled", err)
	}
	_, err = bundle(t, files, func(o *Options) { o.Packages, o.Dev = provider{dir: cache, err: errors.New("refused")}, true })
	if err == nil || !strings.Contains(err.Error(), "src/module.ts:1:19: refused") {
		t.Error(err)
	}
}

// Read lists every file that can change the bundle, in whatever way it is imported. OnDemand counts those of import().
func TestRead(t *testing.T) {
	t.Parallel()
	r := mustBundle(t, map[string]string{
		"src/module.ts":                 "import './a.css'; import text from './b.txt?raw'; import logo from './c.svg'; import data from './d.json';\nnew Worker(new URL('./worker.ts', import.meta.url)); import('./lazy'); import { x } from 'dep'; export const got = [text, logo, data, x];",
		"src/a.css":                     "@import './e.css'; .a { background: url(./f.png) }",
		"src/b.txt":                     "b",
		"src/c.svg":                     "<svg/>",
		"src/d.json":                    "{}",
		"src/e.css":                     ".e {}",
		"src/f.png":                     "png",
		"src/worker.ts":                 "import './shared'; postMessage(1)",
		"src/shared.ts":                 "self.x = 1",
		"src/lazy.ts":                   "import './shared'; export default '" + strings.Repeat("x", 1000) + "'",
		"src/unused.ts":                 "",
		"node_modules/dep/main.js":      "exports.x = 1",
		"node_modules/dep/package.json": `{"main": "main.js"}`,
	})
	want := []string{"node_modules/dep/main.js", "src/a.css", "src/b.txt", "src/c.svg", "src/d.json", "src/e.css", "src/f.png", "src/lazy.ts", "src/module.ts", "src/shared.ts", "src/worker.ts"}
	if diff := cmp.Diff(want, r.Read); diff != "" {
		t.Error(diff)
	}
	if r.OnDemand < 1000 || r.OnDemand > 1200 {
		t.Errorf("import() asks for %d bytes, want those of lazy.ts and shared.ts", r.OnDemand)
	}
}

// cached provides the packages of a directory as build/packages does.
type cached struct{ dir string }

func (c cached) Dir(_ context.Context, _, name string) (string, bool, error) {
	dir := filepath.Join(c.dir, strings.ReplaceAll(name, "/", "+"))
	_, err := os.Stat(dir)
	return dir, err == nil, nil
}

// A package in the cache decides what its imports are in a browser, even if the repository has a
// package of that name.
func TestBrowserField(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{
		"a/node_modules/a/package.json":       `{"main": "lib/index.js", "browser": {"crypto": false, "util": "./lib/util.js"}}`,
		"a/node_modules/a/lib/index.js":       "module.exports = [Object.keys(require('crypto')).length, require('util'), require('b/part')].join();",
		"a/node_modules/a/lib/util.js":        "module.exports = 'its own';",
		"b/node_modules/b/part.js":            "module.exports = 'part of b';",
		"util/node_modules/util/index.js":     "module.exports = 'the wrong one';",
		"crypto/node_modules/crypto/index.js": "module.exports = {wrong: true};",
	})
	r := mustBundle(t, map[string]string{"src/module.ts": "import a from 'a'; export const plugin = a;"}, func(o *Options) { o.Packages = cached{cache} })
	vm, exports := load(t, r, nil)
	if got, want := text(t, vm, exports, "plugin"), "0,its own,part of b"; got != want {
		t.Errorf("plugin is %q, want %q", got, want)
	}
}

// A package of the repository that has not been built is an error that says so.
func TestWorkspacePackage(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"packages/a/package.json": `{"name": "a", "main": "dist/index.js"}`,
		"src/module.ts":           "import a from 'a'; export const plugin = a;",
	}
	provide := func(o *Options) { o.Packages = workspace{filepath.Join(o.Root, "packages")} }
	if _, err := bundle(t, files, provide); err == nil || !strings.Contains(err.Error(), "src/module.ts:1:15: cannot find \"a\": it is in packages/a") {
		t.Errorf("%v, want an error", err)
	}
	files["packages/a/dist/index.js"] = "export default 'built';"
	r := mustBundle(t, files, provide)
	vm, exports := load(t, r, nil)
	if got := text(t, vm, exports, "plugin"); got != "built" {
		t.Errorf("plugin is %q", got)
	}
}

// workspace provides the packages of a repository.
type workspace struct{ dir string }

func (w workspace) Dir(_ context.Context, _, name string) (string, bool, error) {
	return filepath.Join(w.dir, name), true, nil
}

// JSX and fields are what the repository's compiler makes of them, by its loader, a file of its own or a comment in the code, or
// what the package @grafana/tsconfig sets, whether or not it is there: classic JSX, for files that import React.
func TestCompiler(t *testing.T) {
	t.Parallel()
	const automatic = "swc-loader', options: { jsc: { transform: { react: { runtime: 'automatic', "
	const code = "import React from 'react';\nexport const plugin = <a />;\n"
	const emotion = "/** @jsxImportSource @emotion/react */ "
	for _, c := range []struct{ options, loader, swcrc, code, want string }{
		{"{}", "ts-loader', options: {", "", code, "react assigned"},
		{`{"target": "es2022"}`, "ts-loader', options: {", "", code, "react defined"},
		{`{"jsx": "react-jsx"}`, "ts-loader', options: {", "", code, "react/jsx-runtime assigned"},
		{`{"jsx": "react-jsx"}`, "swc-loader', options: { jsc: { parser: { tsx: true } }", "", code, "react defined"},
		{`{"target": "es2018"}`, "swc-loader', options: {", `{"jsc": {"transform": {"react": {"runtime": "automatic"}}}}`, code, "react/jsx-runtime defined"},
		{"{}", automatic + "} } }", `{"jsc": {"transform": {"useDefineForClassFields": false}}}`, code, "react/jsx-runtime assigned"},
		{`{"jsx": "react"}`, automatic + "importSource: '@emotion/react' } } }", "", code, "@emotion/react/jsx-runtime defined"},
		{"{}", automatic + "importSource: 'x' } } }", "", emotion + code, "@emotion/react/jsx-runtime defined"},
		{"{}", automatic + "} } }", "", "/** @jsxRuntime classic */" + code, "react defined"},
		{"{}", "swc-loader', options: {", "", "/** @jsx e.jsx */ import * as e from 'e';" + strings.ReplaceAll(code, "import React", "//"), "e defined"},
		{"{}", "swc-loader', options: {", "", strings.ReplaceAll(code, "import", "//"), "react/jsx-runtime defined"},
	} {
		files := map[string]string{
			"tsconfig.json":         `{"extends": "./.config/tsconfig.json", "compilerOptions": ` + c.options + `}`,
			".config/tsconfig.json": `{"extends": "@grafana/tsconfig"}`,
			"webpack.config.ts": "export default { externals: ['react', 'e', /jsx-runtime$/], module: { rules: [{ test: /css$/, use: 'css-loader' }," +
				"{ test: /\\.tsx?$/, use: { loader: '" + c.loader + " } } }] } };",
			"src/module.tsx": c.code + "export class A { a?: string }\n",
		}
		if c.swcrc != "" {
			files[".swcrc"] = c.swcrc
		}
		r := mustBundle(t, files, func(o *Options) { o.Dev = true })
		fields := map[bool]string{true: "defined", false: "assigned"}[strings.Contains(file(t, r, "module.js"), `__publicField(this, "a")`)]
		if diff := cmp.Diff(c.want, strings.Join(append(r.Shared, fields), " ")); diff != "" {
			t.Errorf("%s, %s, %s: %s", c.options, c.loader, c.code, diff)
		}
	}
}

// The parser that the loader of .js files names decides whether these have types, not their names. Packages have none: there,
// "<" compares, and an import without a use has effects.
func TestTypesInJS(t *testing.T) {
	t.Parallel()
	const typed = "import './b';\nexport const a = (x: number) => <i>{x as number}</i>;\n"
	const untyped = "import { b } from './b';\nexport const a = (x) => <i>{x}</i>;\n"
	for _, c := range []struct{ rule, code, want string }{
		{`{ test: /\.[tj]sx?$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'typescript', tsx: true } } } }`, typed, "ok"},
		{`{ test: /\.[tj]sx?$/, loader: 'esbuild-loader', options: { loader: 'tsx' } }`, typed, "ok"},
		{`{ test: /\.[tj]sx?$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'ecmascript', jsx: true } } } }`, typed, `src/a.js:3:20: expected ")" but found ":"`},
		{`{ test: /\.tsx?$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'typescript', tsx: true } } } }`, typed, `src/a.js:3:20: expected ")" but found ":"`},
		{`{ test: /\.tsx?$/, loader: 'swc-loader', options: { jsc: { parser: { syntax: 'typescript', tsx: true } } } }`, untyped, "ok"},
	} {
		r, err := bundle(t, map[string]string{
			"webpack.config.ts": "export default { externals: ['react', /jsx-runtime$/], module: { rules: [" + c.rule + "] } };",
			"src/module.ts":     "import React from 'react';\nimport { a } from './a';\nimport p from 'p';\nexport const plugin = [a, p];\n", "src/a.js": "import React from 'react';\n" + c.code,
			"src/b.js":                "export const b = 1;\nwindow.effect = 1;\n",
			"node_modules/p/index.js": "import { q } from './q';\nexport default (a, b, c) => a<b>(c);\n",
			"node_modules/p/q.js":     "export const q = 1;\nwindow.packageEffect = 1;\n",
		}, func(o *Options) { o.Dev = true })
		got := "ok"
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		} else if text := file(t, r, "module.js"); !strings.Contains(text, "window.effect") || !strings.Contains(text, "window.packageEffect") || !strings.Contains(text, "> c;") {
			t.Errorf("%s: %s", c.rule, text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.rule, diff)
		}
	}
}

// The names of a bundle, such as those that the minifier gives, do not hide what the host provides.
func TestScope(t *testing.T) {
	t.Parallel()
	r := mustBundle(t, map[string]string{"src/dot.png": "dot", "src/module.ts": `import { css } from '@emotion/css';
import dot from './dot.png';
function d0() {}
export const plugin = [css, typeof d0, typeof self, dot.startsWith('https://host/')].join();`}, func(o *Options) { o.Dev = true })
	vm, exports := load(t, r, map[string]string{"@emotion/css": "{css: 'styles'}", "module": "{uri: 'https://host/module.js'}"})
	if got, want := text(t, vm, exports, "plugin"), "styles,function,undefined,true"; got != want {
		t.Errorf("plugin is %q, want %q", got, want)
	}
}

// TestModulePackages checks that an ES module of the cache imports CommonJS as it would from
// node_modules: the default export is all of module.exports.
func TestModulePackages(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{
		"node_modules/esm/package.json": `{"name": "esm", "type": "module", "exports": "./lib/index.js"}`,
		"node_modules/esm/lib/index.js": "import cjs from 'cjs'; export const inner = cjs.default;",
		"node_modules/cjs/package.json": `{"name": "cjs", "main": "index.js"}`,
		"node_modules/cjs/index.js":     "exports.__esModule = true; exports.default = 'inner';",
	})
	r := mustBundle(t, map[string]string{"src/module.ts": "export { inner } from 'esm';"}, func(o *Options) { o.Packages = provider{dir: cache} })
	vm, exports := load(t, r, nil)
	if got := text(t, vm, exports, "inner"); got != "inner" {
		t.Errorf("got %q", got)
	}
}

// Angular passes arguments by the names of parameters, so the minifier keeps them.
func TestInjected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code string
		want bool
	}{
		"a panel":                {"import { PanelCtrl } from 'grafana/app/plugins/sdk';\nexport class C extends PanelCtrl { constructor($scope, backendSrv) { super($scope); this.b = backendSrv } }", true},
		"a directive":            {"import angular from 'angular';\nangular.module('x').directive('y', function ($scope, backendSrv) { return [$scope, backendSrv] })", true},
		"a marked constructor":   {"export class C {\n/** @ngInject */\nconstructor($scope, backendSrv) { this.b = [$scope, backendSrv] } }", true},
		"a file of a panel":      {"import { C } from './part';\nexport const plugin = C", true},
		"an asynchronous module": {"import sdk from 'grafana/app/plugins/sdk';\nexport const f = [sdk, await 1];\nexport class C { constructor($scope, backendSrv) { this.b = [$scope, backendSrv] } }", true},
		"anything else":          {"import { PanelPlugin } from '@grafana/data';\nexport class C extends PanelPlugin { constructor($scope, backendSrv) { super($scope); this.b = backendSrv } }", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := mustBundle(t, map[string]string{
				"src/module.ts": tc.code,
				"src/part.ts":   "import 'angular';\nexport class C { constructor($scope, backendSrv) { this.b = [$scope, backendSrv] } }",
			})
			code := file(t, r, "module.js")
			if got := strings.Contains(code, "($scope,backendSrv){"); got != tc.want {
				t.Errorf("keeps the names of parameters: %v, want %v:\n%s", got, tc.want, code)
			}
		})
	}
}

// unreachable is the error of a registry.
type unreachable struct{}

func (unreachable) Error() string { return "r.example cannot be reached" }

func (unreachable) Shared() (text, help string) { return unreachable{}.Error(), "connect" }

// What several packages lack for the same reason is one message.
func TestSharedErrors(t *testing.T) {
	t.Parallel()
	var list []api.Message
	for i, name := range []string{"b", "a", "b"} {
		m := failed(fmt.Errorf("%s@1.0.0: %w", name, unreachable{}), name)[0]
		m.Location = &api.Location{File: "src/module.ts", Line: i + 1}
		list = append(list, m)
	}
	list = append(list, failed(errors.New("c: another reason"), "c")...)
	var got []string
	for _, m := range Messages(t.TempDir(), list) {
		got = append(got, m.String())
	}
	want := []string{"c: another reason", "src/module.ts:1:1: r.example cannot be reached, so these packages are missing: a@1.0.0, b@1.0.0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A style sheet that the repository's own bundler does not process is bundled as it is, and so is one that needs no plugin.
func TestCSSWithoutPostCSS(t *testing.T) {
	t.Parallel()
	const plain = "@import './tailwindcss-animated.css';\n@theme-name x;\n.a::before { content: 'see @theme '; }\n"
	testkit.Must(bundle(t, map[string]string{"src/module.ts": "import './x.css';\n", "src/x.css": plain, "src/tailwindcss-animated.css": ""}))(t)
	_, err := bundle(t, map[string]string{"src/module.ts": "import './x.css';\n", "src/x.css": ".a { @apply p-4; }", "package.json": `{"devDependencies": {"postcss": "^8"}}`,
		"webpack.config.js": `module.exports = {externals: [], module: {rules: [{test: /\.css$/, use: ['css-loader', 'postcss-loader']}]}};`})
	testkit.OK(t, err)
}
