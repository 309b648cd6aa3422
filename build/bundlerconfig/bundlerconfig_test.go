package bundlerconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// evaluate evaluates the configuration of a repository with these files. In texts, ROOT is its directory.
func evaluate(t *testing.T, files map[string]string) (*Config, error) {
	t.Helper()
	root := t.TempDir()
	testkit.WriteFiles(t, root, files)
	return Evaluate(t.Context(), root, func(file string) error {
		if rel, err := filepath.Rel(root, file); err != nil || !filepath.IsLocal(rel) {
			return errors.New("outside")
		}
		return nil
	})
}

// one evaluates webpack.config.ts, which must be possible.
func one(t *testing.T, text string) *Config {
	t.Helper()
	c, err := evaluate(t, map[string]string{"webpack.config.ts": text})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return c
}

func TestExternals(t *testing.T) {
	t.Parallel()
	for externals, want := range map[string]string{ // of "react", "@x/ui/part" and "grafana/app", or what is wrong
		`'react'`:                            "amd react",
		`['react', '@x/ui']`:                 "amd react",
		"['a', 'react', /^@x\\/(ui|data)/i]": "amd react, amd @x/ui/part",
		`/^@X\/UI/gi`:                        "amd @x/ui/part",
		`{ react: 'React', '@x/ui/part': true, 'grafana/app': false }`:                                                           "amd React, amd @x/ui/part",
		`{ react: { amd: 'r', root: 'R' }, 'grafana/app': ['A', 'b'] }`:                                                          "amd r, root A.b",
		`[{ react: 'var React' }, { '@x/ui/part': 'commonjs2 ui' }]`:                                                             "var React, commonjs2 ui",
		`({ request }, callback) => request === 'react' ? callback(null, 'r') : callback()`:                                      "amd r",
		`[({ context, request }, callback) => callback(undefined, /^grafana\//.test(request) ? request.slice(8) : undefined)]`:   "amd app",
		`function (context, request, callback) { if (request === 'react') return callback(null, 'React', 'root'); callback(); }`: "root React",
		`async ({ request }) => request.startsWith('@x') && request`:                                                             "amd @x/ui/part",
		`[({ request }) => Promise.resolve(request === 'react'), [/app$/]]`:                                                      "amd react, amd grafana/app",
		`({ request }, callback) => callback(new Error('no ' + request))`:                                                        "no react",
		`({ request, getResolve }) => getResolve()(request)`:                                                                     "externals cannot resolve",
		`[]`: "",
	} {
		c := one(t, "export default { externals: "+externals+" };")
		var got []string
		for _, request := range []string{"react", "@x/ui/part", "grafana/app"} {
			kind, name, err := c.External(t.Context(), request, "/dir", "")
			if err != nil {
				got = []string{err.Error()}
				break
			}
			if kind != "" {
				got = append(got, kind+" "+name)
			}
		}
		if text := strings.Join(got, ", "); text != want && (want == "" || !strings.Contains(text, "configuration of the bundler: "+want)) {
			t.Errorf("%s: got %s, want %s", externals, text, want)
		}
	}
}

// A configuration can be written, and be found, in many ways.
func TestForms(t *testing.T) {
	t.Parallel()
	const alias = "{ externals: [], resolve: { alias: { a: 'b' } } }"
	const base = "export default async (env) => env.production && " + alias + ";"
	for _, files := range []map[string]string{
		{"webpack.config.ts": "export default " + alias},
		{"webpack.config.js": "module.exports = " + alias},
		{"webpack.config.cjs": "module.exports = (env, argv) => argv.mode === 'production' && (" + alias + ")"},
		{"webpack.config.mjs": "const c = await Promise.resolve(" + alias + "); export default c;"},
		{"webpack.config.ts": "import path from 'path'; module.exports = " + alias},
		{"webpack.config.ts": "export default Promise.resolve([async () => (" + alias + ")])"},
		{"webpack.config.js": "module.exports = [{ entry: { other: './x' } }, { entry: { module: './module' }, resolve: { alias: { a: 'b' } } }]"},
		{"webpack.config.js": "module.exports.getWebpackConfig = (config, { production }) => ({ ...config, resolve: { ...config.resolve, alias: { a: 'b' } } })"},
		{"rspack.config.ts": "import base from './.config/rspack/rspack.config'; export default base;", ".config/rspack/rspack.config.ts": base},
		{".config/webpack/webpack.config.ts": base, ".config/bundler/externals.ts": "export const externals = ['c'];"},
		{".config/rspack/rspack.config.js": base},
		{"webpack.config.ts": "export default {}", "rspack.config.ts": base, "package.json": `{"scripts": {"build": "rspack build"}}`},
		{"webpack.config.ts": "export default {}", "config/prod.ts": base, "package.json": `{"scripts": {"build": "webpack -c ./config/prod.ts --env production"}}`},
		{"webpack.config.ts": `import { merge } from 'webpack-merge'; import type { Env } from './types'; import base from './.config/webpack/webpack.config.ts';
export default async (env: Env) => merge(await base(env), { devtool: 'source-map' });`, ".config/webpack/webpack.config.ts": base},
		{"webpack.config.js": "const fs = require('fs'); module.exports = JSON.parse(fs.readFileSync(require('path').join(__dirname, 'c.json')))",
			"c.json": `{"externals": [], "resolve": {"alias": {"a": "b"}}}`},
		{"webpack.config.js": "const all = require('lodash').merge({}, " + alias + "); module.exports = all", "node_modules/lodash/index.js": "exports.merge = Object.assign"},
		{"webpack.config.ts": "export default (env) => new Promise((done) => require('glob')('src/*.{ts,tsx}', (_, f) => done({ externals: [], resolve: { alias: { [f[0][4]]: 'b' } } })))", "src/a.ts": ""},
		{"webpack.config.ts": "const src = __dirname + '/src'; const f = require('glob').globSync(src + '/*.{ts,tsx}', { ignore: src + '/?b.ts' }); " +
			"export default { externals: [], resolve: { alias: { [f.join() === src + '/a.ts' ? 'a' : f.join()]: 'b' } } };", "src/a.ts": "", "src/bb.ts": ""},
	} {
		c, err := evaluate(t, files)
		if err != nil {
			t.Errorf("%v: %v", files, err)
		} else if c.Alias["a"] != "b" {
			t.Errorf("%v: the alias is %v", files, c.Alias)
		}
	}
	if c, err := evaluate(t, map[string]string{".config/bundler/externals.ts": "export const externals = ['a'];"}); err != nil || !c.HasExternals || len(c.Unread) > 0 {
		t.Errorf("only externals: %v, %v", c, err)
	}
	if c, err := evaluate(t, nil); err != nil || c.File != "" || c.HasExternals {
		t.Errorf("no configuration: %v, %v", c, err)
	}
}

// What cannot be evaluated is an error at its place, never other settings.
func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\nexport default {":                                     `2:17: cannot evaluate the configuration of the bundler: Expected identifier but found end of file`,
		"\nexport default base;":                                 "2:16: cannot evaluate the configuration of the bundler: ReferenceError: base is not defined",
		"\nthrow new Error('no');":                               "2:7: cannot evaluate the configuration of the bundler: no",
		"export default async () => { throw new Error('no'); };": "1:36: cannot evaluate the configuration of the bundler: no",
		"import './missing';":                                    `1:8: cannot evaluate the configuration of the bundler: Could not resolve "./missing"`,
		"export default 1;":                                      "1:1: cannot evaluate the configuration of the bundler: the configuration exports no object, function or list of these",
		"export default new Promise(() => {});":                  "1:1: cannot evaluate the configuration of the bundler: it waits for something that never happens, such as an answer from the network",
		"import { mergeWith } from 'lodash'; export default mergeWith({}, {});": "1:1: cannot evaluate the configuration of the bundler: the configuration is what lodash.mergeWith() returns, which builds do not run; if a package merges configurations, install it",
		"import x from 'x'; export default { plugins: [...x.list] };":           "1:52: cannot evaluate the configuration of the bundler: x.list is used, but builds run no packages for a configuration",
		"import m from 'webpack-merge'; export default m.smart({}, {});":        "1:55: cannot evaluate the configuration of the bundler: webpack-merge.smart is not known: it is from an old version; install webpack-merge",
		"import fs from 'fs'; fs.writeFileSync('x', '');":                       "1:39: cannot evaluate the configuration of the bundler: fs.writeFileSync is not available to a configuration: builds run none of its programs",
		"import fs from 'fs'; fs.readFileSync('/etc/hosts');":                   "ENOENT: no such file or directory, open '/etc/hosts'",
		"import http from 'https'; http.get('x');":                              "https.get is not available to a configuration",
		"fetch('https://x');":       "ReferenceError: fetch is not defined",
		"const f = () => f(); f();": "",
	} {
		_, err := evaluate(t, map[string]string{"webpack.config.ts": text})
		failed, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(fmt.Sprintf("%d:%d: %s", failed.Line, failed.Column, failed.Text), want) || failed.Help == "" || failed.File != "webpack.config.ts" {
			t.Errorf("%s: got %+v, want %s", text, failed.Message, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	root := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(root, "webpack.config.js"), []byte("for (;;);"), 0o644))
	if _, err := Evaluate(ctx, root, func(string) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an endless loop: %v", err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	c := one(t, `
import path, { resolve } from 'node:path';
import webpack, { DefinePlugin } from 'webpack';
import { rspack } from '@rspack/core';
import CopyPlugin from 'copy-webpack-plugin';
const MiniCssExtractPlugin = require('mini-css-extract-plugin');
export default {
  context: path.join(process.cwd(), 'src'),
  entry: { module: './module.ts', 'part/module': ['./part/module.tsx'], dark: './styles/dark.scss' },
  externals: [],
  node: { net: 'empty', global: true },
  resolve: {
    alias: { '@lib': resolve('src/lib'), exact$: require.resolve('view/dist/x.js'), off: false, first: [path.resolve('no'), 'second'] },
    fallback: { util: require.resolve('util/'), fs: false },
    extensions: ['...', '.vert'], modules: ['node_modules', 'src', resolve('app')], mainFields: ['main'], conditionNames: ['...', 'acme'],
  },
  plugins: [
    new DefinePlugin({ N: 1, TEXT: JSON.stringify('x'), CODE: 'a + 1', 'p.q': { r: "'s'" }, LATER: DefinePlugin.runtimeValue(() => '2') }),
    new webpack.EnvironmentPlugin({ LEVEL: 'info' }),
    new rspack.ProvidePlugin({ $: 'jq', Buffer: ['buffer', 'Buffer'] }),
    new MiniCssExtractPlugin({ filename: 'styles/[name].css' }),
    new CopyPlugin({ patterns: ['a.txt', { from: '../b', to: 'c/', noErrorOnMissing: true }, { from: 'plugin.json', to: '.' }] }),
  ],
};`)
	root := filepath.ToSlash(c.root)
	want := Settings{
		HasExternals: true, IsExact: true,
		Alias:    map[string]string{"@lib": root + "/src/lib", "exact$": root + "/node_modules/view/dist/x.js", "off": "", "first": "second"},
		Fallback: map[string]string{"util": "util/", "fs": "", "net": ""},
		Define:   map[string]string{"N": "1", "TEXT": `"x"`, "CODE": "a + 1", "p.q": `({"r":"s"})`, "p.q.r": `"s"`, "LATER": "2", "process.env.LEVEL": `"info"`},
		Inject:   map[string]config.Export{"$": {Module: "jq", Name: "default"}, "Buffer": {Module: "buffer", Name: "Buffer"}},
		Copies: []Copy{
			{What: "a.txt", From: root + "/src/a.txt", Context: root + "/src", Ignore: []string{}},
			{What: "b", From: root + "/b", Context: root + "/src", To: "c/", IsOptional: true, Ignore: []string{}},
		},
		Styles:     []Style{{File: root + "/src/styles/dark.scss", Output: "styles/dark.css", What: "dark"}},
		Extensions: []string{".vert"}, Modules: []string{root + "/src", root + "/app"}, MainFields: []string{"main"}, Conditions: []string{"acme"},
	}
	if d := cmp.Diff(want, c.Settings); d != "" || len(c.Unread) > 0 {
		t.Errorf("-want +got:\n%s%v", d, c.Unread)
	}
}

// Everything that does not apply is named once, with its place and what to do.
func TestUnread(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plugins: [new (require('zip-webpack-plugin'))()]":                                                            "3:25: the plugin zip-webpack-plugin is not run",
		"plugins: [new webpack.ContextReplacementPlugin(/a/)]":                                                        "3:23: the plugin ContextReplacementPlugin is not run",
		"plugins: [new (class Own { apply() {} })(), new (class Own { apply() {} })()]":                               "3:22: the plugin Own is not run",
		"plugins: [new webpack.BannerPlugin('mine')]":                                                                 "3:23: the banner of the configuration is left out",
		"plugins: [new webpack.DefinePlugin({ 'typeof x': '1' })]":                                                    "3:39: DefinePlugin defines typeof x, which is not a name or a member of one",
		"plugins: [new webpack.DefinePlugin({ HASH: JSON.stringify(exec('git rev-parse HEAD').toString().trim()) })]": "3:38: HASH is what child_process.execSync computes, which builds do not run",
		"plugins: [new webpack.EnvironmentPlugin(['HOME'])]":                                                          "3:43: EnvironmentPlugin gives process.env.HOME the value of the environment, which builds do not read",
		"mode: process.env.MODE": "3:19: the environment variable MODE has no value: builds do not read the environment",
		"plugins: [new webpack.ProvidePlugin({ x: ['a', 'b', 'c'] })]":                                               "3:39: ProvidePlugin gives x a member of an export",
		"plugins: [new Copy({ patterns: [{ from: 'x.md', transform: (t) => t }] })]":                                 "3:42: copy-webpack-plugin changes or chooses files of x.md by a function, so they are not copied",
		"plugins: [new Copy({ patterns: [{ from: other.dir }] })]":                                                   "1:50: copy-webpack-plugin copies files that other.dir computes, which builds do not run",
		"module: { rules: [{ test: /\\.svg$/, oneOf: [{ use: ['@svgr/webpack'] }] }] }":                              "3:54: files that match /\\.svg$/ go through @svgr/webpack, which builds do not run",
		"plugins: [new Copy({ patterns: [{ from: 'x/*.md', to: '[name].[contenthash:8][ext]' }] })]":                 "3:63: copy-webpack-plugin copies files of x/*.md to names with [contenthash:8], which builds do not compute, so they are not copied",
		"module: { rules: [{ test: /x/, resolve: { alias: { a: 'b' } } }, { resolve: { fullySpecified: false } }] }": "3:32: resolve of the rule for files that match /x/ does not apply",
		"module: { rules: [{ mimetype: 'image/svg+xml', type: 'asset/source' }] }":                                   "3:21: the rule for files that match anything does not apply: builds do not read its condition mimetype",
		"module: { rules: [{ test: /\\.ya?ml$/, use: require.resolve('yaml-loader') }] }":                            "3:61: files that match /\\.ya?ml$/ go through yaml-loader, which builds do not run",
		"module: { rules: [{ test: /x/, use: { loader: 'babel-loader', options: { plugins: ['lingui'] } } }] }":      "3:85: the plugin lingui of Babel is not run",
		"module: { rules: [{ test: /x/, loader: 'css-loader', options: { modules: true } }] }":                       "3:41: css-loader makes files that match /x/ CSS modules: builds make them of files named .module.css and .module.scss",
		"entry: { module: ['./polyfill.ts', './module.ts'] }":                                                        "3:22: the entry module also has ./polyfill.ts",
		"entry: { module: './plugin.ts' }":                                                                           "3:10: the entry module (./plugin.ts) is not built",
		"entry: { module: './module.ts', worker: './w.ts' }":                                                         "3:33: the entry worker (./w.ts) is not built",
		"resolve: { alias: { '@x/*': './src/*' } }":                                                                  "3:22: the name @x/* in resolve.alias has a star, which builds do not read",
		"resolve: { alias: { x: other.path } }":                                                                      "3:21: x is what other.path computes, which builds do not run",
		"resolve: { roots: ['x'] }":                                                                                  "3:12: resolve.roots does not apply",
		"resolve: { conditionNames: ['import'] }":                                                                    "3:12: resolve.conditionNames has no browser: builds read that condition of packages too",
		"output: { library: { type: 'system' } }":                                                                    "3:1: output.library.type is system: module.js is an AMD module, which hosts load",
		"externalsType: 'commonjs'":                                                                                  "3:1: externalsType commonjs does not apply: hosts provide AMD modules",
		"custom: 1":                                                                                                  "3:1: custom does not apply",
		"...other":                                                                                                   "",
		"plugins: [new (require('eslint-webpack-plugin'))(), new webpack.ProgressPlugin(), false]":                   "",
		"module: { rules: [{ test: /x/, use: ['style-loader', 'css-loader', 'sass-loader'] }, { test: /y/, type: 'asset/source' }] }": "",
		"module: { rules: [{ test: /x/, loader: 'imports-loader', options: { imports: 'side-effects a/publicPath.ts' } }] }":          "",
		"module: { rules: [{ test: /x/, loader: 'imports-loader', options: { imports: 'side-effects a/polyfills.ts' } }] }":           "3:41: what imports-loader adds to files that match /x/ is left out",
	} {
		c := one(t, "import webpack from 'webpack'; import Copy from 'copy-webpack-plugin'; import { execSync as exec } from 'child_process';\n"+
			"const other = require('other'); export default { externals: [],\n"+text+" };")
		var got []string
		for _, m := range c.Unread {
			got = append(got, fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.Text))
			isChoice := strings.Contains(m.Text, "go through") // which another loader can replace
			if m.Help == "" || strings.Contains(m.Help, "loader: {") != isChoice || m.File != "webpack.config.ts" || m.Source == "" {
				t.Errorf("%s: %+v", text, m)
			}
		}
		if all := strings.Join(got, "\n"); all != want && !(text == "...other" && strings.Contains(all, "does not apply")) {
			t.Errorf("%s: got\n%s\nwant\n%s", text, all, want)
		}
	}
	if c := one(t, "export default {}"); len(c.Unread) != 1 || !strings.Contains(c.Unread[0].Text, "has no externals") {
		t.Errorf("without externals: %v", c.Unread)
	}
}

// What the compilers of the repository do, by the options of their loaders or by files of their own, is what the options of
// tsconfig.json say, or is named.
func TestCompilers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		use   string
		files map[string]string
		want  string // the JSX, its package and function, fields, decorators, and what is named
	}{
		{use: "'swc-loader'", want: "react react React.createElement true <nil>"},
		{use: `{ loader: 'builtin:swc-loader', options: { jsc: { parser: { decorators: true }, transform: { legacyDecorator: true, useDefineForClassFields: false,
			react: { pragma: 'h', pragmaFrag: 'F', refresh: false } } } } }`, want: "react react h false true"},
		{use: `{ loader: 'swc-loader', options: { jsc: { target: 'es2015', transform: { react: { importSource: 'preact' } } } } }`,
			files: map[string]string{".swcrc": "{ // as in tests\n \"jsc\": {\"transform\": {\"react\": {\"runtime\": \"automatic\", \"importSource\": \"x\"}}},\n}"}, want: "react-jsx preact React.createElement true <nil>"},
		{use: "'builtin:swc-loader'", files: map[string]string{".swcrc": `{"jsc": {"loose": true}}`}, want: "react react React.createElement true <nil>"},
		{use: "{ loader: 'swc-loader', options: { jsc: { transform: { constModules: { globals: {} } } } } }",
			files: map[string]string{".swcrc": "{\n\"jsc\": {\"loose\": true, \"experimental\": {\"plugins\": [[\"@swc/plugin-emotion\", {}]]}, \"parser\": {\"decorators\": true}}}"},
			want: "react react React.createElement true <nil>\n.swcrc:2:10: loose of swc-loader does not apply\n.swcrc:2:55: the plugin @swc/plugin-emotion of swc-loader is not run\n" +
				"webpack.config.js:2:56: constModules of swc-loader does not apply\n.swcrc:2:96: the decorators of swc-loader are those that were proposed in 2021, and builds have those of TypeScript"},
		{use: "'babel-loader'", files: map[string]string{"babel.config.js": `module.exports = (api) => { api.cache(true); return { presets: [
			['@babel/preset-env', { loose: api.env('test') }], '@babel/preset-typescript', ['@babel/preset-react', { runtime: api.env(['production']) ? 'automatic' : 'classic' }]],
			plugins: [require('@babel/plugin-transform-runtime'), ['@babel/plugin-proposal-decorators', { legacy: true }]] } };`},
			want: "react-jsx react React.createElement false true"},
		{use: "{ loader: require.resolve('babel-loader'), options: { presets: ['@babel/react'], cacheDirectory: true } }",
			files: map[string]string{".babelrc": "{plugins: ['@emotion', 'macros', ], env: {test: {plugins: ['istanbul']}}}", "package.json": `{"devDependencies": {"@babel/core": "^8.0.0"}, "babel": {"presets": ["react-app"]}}`},
			want: "react-jsx react React.createElement <nil> <nil>\n.babelrc:1:13: the plugin @emotion of Babel is not run\n.babelrc:1:25: the plugin macros of Babel is not run\n" +
				"package.json:1:1: the preset react-app of Babel is not run"},
		{use: "{ loader: 'babel-loader', options: { babelrc: false, configFile: './other.json', presets: ['@babel/typescript'], overrides: [{ test: /\\.tsx$/, presets: [['@babel/react', { pragma: 'h' }]] }, " +
			"{ test: /\\.vue$/, plugins: ['vue'] }] } }", files: map[string]string{".babelrc": "{plugins: ['x']}", "babel.config.json": `{"plugins": ["y"]}`},
			want: "react react h false <nil>\nwebpack.config.js:2:54: configFile of babel-loader does not apply"},
		{use: "{ loader: 'babel-loader', options: { presets: ['@babel/preset-typescript', '@babel/env'] } }", want: "<nil> <nil> <nil> true <nil>"},
		{use: "{ loader: 'babel-loader', options: { presets: [['@babel/typescript', { allowDeclareFields: true }], [require('@babel/preset-react'), { pragma: 'h' }]] } }",
			files: map[string]string{"babel.config.json": `{"presets": [["@babel/preset-react", {"runtime": "automatic"}]]}`}, want: "react react h true <nil>"},
		{use: "{ loader: 'babel-loader', options: { presets: ['@babel/typescript'], plugins: [require.resolve('@babel/plugin-proposal-class-properties')] } }", want: "<nil> <nil> <nil> true <nil>"},
		{use: "{ loader: 'babel-loader', options: { plugins: [['@babel/plugin-transform-class-properties', { loose: true }], function own() {}, '@babel/plugin-proposal-decorators'] } }",
			want: "<nil> <nil> <nil> false <nil>\nwebpack.config.js:2:120: the plugin own of Babel is not run\nwebpack.config.js:2:131: the plugin @babel/plugin-proposal-decorators of Babel is not run"},
		{use: "{ loader: 'ts-loader', options: { transpileOnly: true, compilerOptions: { jsx: 'react-jsx', noEmit: false } } }", want: "react-jsx <nil> <nil> <nil> <nil>"},
		{use: "{ loader: 'ts-loader', options: { getCustomTransformers: () => 1, configFile: 'tsconfig.build.json' } }",
			want: "<nil> <nil> <nil> <nil> <nil>\nwebpack.config.js:2:35: getCustomTransformers of ts-loader does not apply\nwebpack.config.js:2:67: configFile of ts-loader does not apply"},
		{use: "[{ loader: 'babel-loader', options: { presets: [['@babel/preset-react', { runtime: 'automatic' }]] } }, 'ts-loader']",
			files: map[string]string{"tsconfig.json": `{"compilerOptions": {"jsx": "preserve"}}`}, want: "react-jsx react React.createElement <nil> <nil>"},
		{use: "{ loader: 'esbuild-loader', options: { jsx: 'automatic', jsxImportSource: 'preact', target: 'es2020', define: { A: '1' } } }",
			want: "react-jsx preact <nil> <nil> <nil>\nwebpack.config.js:2:103: define of esbuild-loader does not apply"},
		{use: "{ loader: 'swc-loader', options: require('shared') }", want: "<nil> <nil> <nil> <nil> <nil>\nwebpack.config.js:2:12: swc-loader is what shared computes, which builds do not run"},
		{use: "{ loader: 'swc-loader', options: { jsc: { transform: { react: { runtime: require('shared').runtime } } } } }",
			want: "<nil> <nil> <nil> <nil> <nil>\nwebpack.config.js:2:12: swc-loader is what shared.runtime computes, which builds do not run"},
		{use: "'source-map-loader'", files: map[string]string{".swcrc": "{\"jsc\": {\"loose\": true}}", "babel.config.js": "throw new Error('of tests')"}, want: "<nil> <nil> <nil> <nil> <nil>"},
	} {
		if test.files == nil {
			test.files = map[string]string{}
		}
		test.files["webpack.config.js"] = "module.exports = { externals: [], module: { rules: [{ test: /\\.[jt]sx?$/, use:\n" + test.use + " }] } };"
		c, err := evaluate(t, test.files)
		if err != nil {
			t.Errorf("%s: %v", test.use, err)
			continue
		}
		of := c.CompilerOptions
		got := fmt.Sprint(of["jsx"], " ", of["jsxImportSource"], " ", of["jsxFactory"], " ", of["useDefineForClassFields"], " ", of["experimentalDecorators"])
		for _, m := range c.Unread {
			got += fmt.Sprintf("\n%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s: -want +got:\n%s", test.use, d)
		}
	}
}

// webpack-merge is the repository's own version, or one that does the same.
func TestMerge(t *testing.T) {
	t.Parallel()
	const rules = "{ externals: ['a'], module: { rules: [{ test: /x/, use: [{ loader: 'l', options: 1 }] }, { test: /y/ }] } }"
	for merge, want := range map[string]string{
		"merge(" + rules + ", { externals: ['b'], module: { rules: [{ test: /x/ }] } })":                                                                                                                                   `["a","b"] 3`,
		"merge([" + rules + ", { externals: 'b' }])":                                                                                                                                                                       `"b" 2`,
		"mergeWithCustomize({ customizeArray: customizeArray({ 'ext*': 'prepend' }) })(" + rules + ", { externals: ['b'] })":                                                                                               `["b","a"] 2`,
		"mergeWithCustomize({ customizeObject: customizeObject({ module: 'replace' }) })(" + rules + ", { module: { rules: [] } })":                                                                                        `["a"] 0`,
		"mergeWithRules({ module: { rules: { test: 'match', use: { loader: 'match', options: 'replace' } } } })(" + rules + ", { module: { rules: [{ test: /x/, use: [{ loader: 'l', options: 2 }] }, { test: /z/ }] } })": `["a"] 3`,
		"mergeWithRules({ externals: 'replace' })(" + rules + ", { externals: ['b'] })":                                                                                                                                    `["b"] 2`,
	} {
		text := "import { merge, mergeWithCustomize, mergeWithRules, customizeArray, customizeObject } from 'webpack-merge';\nconst c = " + merge +
			";\nexport default { externals: [], resolve: { alias: { a: JSON.stringify(c.externals) + ' ' + c.module.rules.length } } };"
		if got := one(t, text).Alias["a"]; got != want {
			t.Errorf("%s: got %s, want %s", merge, got, want)
		}
	}
	c, err := evaluate(t, map[string]string{
		"webpack.config.ts":                       "import { merge } from 'webpack-merge'; export default merge();",
		"node_modules/webpack-merge/index.js":     "exports.merge = () => ({ externals: [], resolve: { alias: { own: require('./part') } } });",
		"node_modules/webpack-merge/part.js":      "module.exports = 'own';",
		"node_modules/webpack-merge/package.json": `{"main": "index.js"}`,
	})
	if err != nil || c.Alias["own"] != "own" {
		t.Errorf("the repository's own: %v, %v", c, err)
	}
}

func TestLoader(t *testing.T) {
	t.Parallel()
	c := one(t, `export default { externals: [], module: { rules: [
  { test: /\.svg$/, issuer: /\.css$/, type: 'asset/inline' }, { test: /\.svg$/, issuer: { not: [/\.css$/] }, resourceQuery: { not: [/raw/] }, type: 'asset/resource' },
  { test: /\.(vert|frag)$/, use: 'raw-loader' }, { test: /\.md$/, type: 'asset/source' }, { test: /\.bin$/, loader: 'null-loader' },
  { oneOf: [{ test: /small\.gif$/, use: [{ loader: 'url-loader', options: { limit: 10 } }] }, { test: /\.gif$/, use: 'file-loader?name=[name]' }] },
  { include: [(file) => file.endsWith('.hdr')], type: 'asset' }, { test: [/\.ya?ml$/], exclude: /skip/, rules: [{ use: () => ['yaml-loader'] }] },
  { test: /\.[jt]sx?$/, use: 'swc-loader' }, { test: /\.png$/, dependency: { not: ['url'] }, type: 'asset/inline' },
  { test: /\.png$/, dependency: 'url', type: 'asset/source' }, { scheme: 'data', type: 'asset/source' },
] } };`)
	for request, want := range map[string]string{
		"a.svg a.css": "inline -1", "a.svg a.ts": "file", "a.svg?raw a.ts": "", "a.vert a.ts": "text", "a.md a.ts": "text", "a.bin a.ts": "empty",
		"small.gif a.ts": "inline 9", "b.gif a.ts": "file", "a.hdr a.ts": "inline 8096", "a.yml a.ts": "! yaml-loader", "skip.yml a.ts": "", "a.tsx a.ts": "",
		"a.png a.ts": "inline -1",
	} {
		file, issuer, _ := strings.Cut(request, " ")
		file, query, hasQuery := strings.Cut(file, "?")
		if hasQuery {
			query = "?" + query
		}
		if got, err := c.Loader(t.Context(), "/r/"+file, query, "/r/"+issuer); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", request, got, err, want)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"d/a.js", "d/b/c.txt", "d/.hidden", "e/x.md"} {
		testkit.WriteFile(t, filepath.Join(root, name), name)
	}
	for _, test := range []struct {
		copy Copy
		want string // each file and its path in dist, or an error
	}{
		{Copy{From: "d", To: "to"}, "to/.hidden=d/.hidden to/a.js=d/a.js to/b/c.txt=d/b/c.txt"},
		{Copy{From: "d", Ignore: []string{"**/*.txt", "**/.*"}}, "a.js=d/a.js"},
		{Copy{From: "d/a.js", To: "."}, "a.js=d/a.js"},
		{Copy{From: "d/a.js", To: "x/y.js"}, "x/y.js=d/a.js"},
		{Copy{From: "d/a.js", To: "x", ToType: "file"}, "x=d/a.js"},
		{Copy{From: "d/**/*.{txt,js}", To: "z/"}, "z/d/a.js=d/a.js z/d/b/c.txt=d/b/c.txt"},
		{Copy{From: "*/*.md", To: "[path][name].text"}, "e/x.text=e/x.md"},
		{Copy{From: "no/*"}, "no file matches *, which the configuration of the bundler copies"},
		{Copy{From: "no/*", IsOptional: true}, ""},
	} {
		test.copy.From, test.copy.Context = filepath.Join(root, test.copy.From), root
		files, err := test.copy.Files(func(file string) (string, error) { return file, nil })
		var got []string
		for to, from := range files {
			rel, _ := filepath.Rel(root, from) // it is below root
			got = append(got, to+"="+filepath.ToSlash(rel))
		}
		text := strings.Join(slices.Sorted(slices.Values(got)), " ")
		if err != nil {
			text = err.Error()
		}
		if text != test.want {
			t.Errorf("%+v: got %s, want %s", test.copy, text, test.want)
		}
	}
}

// A configuration is evaluated again when one of the files that it read has changed, or another one takes precedence.
func TestIsCurrent(t *testing.T) {
	t.Parallel()
	c := testkit.Must(evaluate(t, map[string]string{
		".config/webpack/webpack.config.ts": "import fs from 'fs'; import './utils'; export default { externals: JSON.parse(fs.readFileSync('package.json', 'utf8')).list };",
		".config/webpack/utils.ts":          "", "package.json": `{"list": ["a"]}`,
	}))(t)
	if want := []string{".config/webpack/utils.ts", ".config/webpack/webpack.config.ts", "package.json"}; !cmp.Equal(want, c.Read) || !c.IsCurrent() {
		t.Errorf("read %v", c.Read)
	}
	for _, name := range []string{".config/webpack/utils.ts", "package.json", "webpack.config.js", ".swcrc"} {
		file := filepath.Join(c.root, name)
		before, err := os.ReadFile(file)
		testkit.OK(t, os.WriteFile(file, append(before, ' '), 0o644))
		if c.IsCurrent() {
			t.Errorf("%s does not matter", name)
		}
		if err != nil { // it did not exist
			err = os.Remove(file)
		} else {
			err = os.WriteFile(file, before, 0o644)
		}
		if err != nil || !c.IsCurrent() {
			t.Fatalf("as before: %v", err)
		}
	}
}

// A build script that runs a bundler whose configuration is not read is named; one that tests or serves is not.
func TestOtherBundler(t *testing.T) {
	t.Parallel()
	const place, unread, lost = "package.json:2:2: the script runs ", ", but builds do not read its configuration", ", but its configuration was not found"
	for scripts, want := range map[string]string{
		`"build": "vite build"`:                                             place + "vite" + unread,
		`"build": "tsc && npm run pack", "pack": "rollup -c"`:               place + "rollup" + unread,
		`"build": "mage -v && cross-env NODE_ENV=production yarn gulp all"`: place + "gulp" + unread,
		`"build": "grunt"`:                                                  place + "grunt" + unread,
		`"build": "node scripts/esbuild.config.mjs"`:                        place + "esbuild" + unread,
		`"build": "webpack -c ./webpack.config.ts", "x": "vite build"`:      place + "webpack" + lost,
		`"build": "npm run pack", "pack": "rspack build"`:                   place + "rspack" + lost,
		`"build": "npm run prod", "prod": "webpack --config c/prod.js"`:     "",
		`"build": "grafana-toolkit plugin:build"`:                           "",
		`"build": "npm run clean && tsc -p tsconfig.esbuild.json", "clean": "rimraf dist .vite && vite-node a.ts && cp node_modules/esbuild-wasm/a ."`: "",
		`"build": "vitest run && tsc", "dev": "vite"`: "",
		`"dev": "vite"`: "",
	} {
		c, err := evaluate(t, map[string]string{"package.json": "{\"scripts\": {\n\t" + scripts + "}}", "c/prod.js": "module.exports = {externals: []};"})
		testkit.OK(t, err)
		var got []string
		for _, m := range c.Unread {
			got = append(got, m.String())
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s: got %q, want %q", scripts, text, want)
		}
	}
}

// What plugins of PostCSS do is named, wherever postcss-loader finds them.
func TestPostCSS(t *testing.T) {
	t.Parallel()
	const config = "postcss.config.js"
	for options, c := range map[string]struct {
		file string
		has  bool
	}{
		"":                                  {"", false},
		"{}":                                {config, true},
		"{sourceMap: true}":                 {"src/.postcssrc.json", true},
		"{postcssOptions: {plugins: []}}":   {"", true},
		"{postcssOptions: () => ({})}":      {"", true},
		"{postcssOptions: {config: '/x'}}":  {"", true},
		"{postcssOptions: {config: false}}": {config, false},
		"{postcssOptions: {config: true}}":  {".config/" + config, true},
	} {
		use := "{loader: 'postcss-loader'"
		if options != "" {
			use += ", options: " + options
		}
		files := map[string]string{"webpack.config.ts": "export default { externals: [], module: { rules: [{ test: /\\.css$/, use: ['css-loader', " + use + "}] }] } };",
			"package.json": `{"overrides": {"postcss": {"a": "1"}}}`}
		if c.file != "" {
			files[c.file] = ""
		}
		got := testkit.Must(evaluate(t, files))(t)
		if got.HasPostCSS != c.has || len(got.Unread) > 0 != c.has {
			t.Errorf("%s: %t, %v", options, got.HasPostCSS, got.Unread)
		}
	}
}
