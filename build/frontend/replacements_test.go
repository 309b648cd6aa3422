package frontend

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/config"
)

func TestReplacements(t *testing.T) {
	t.Parallel()
	config := `
import path from 'path';
import { merge } from 'webpack-merge';
const base = async (env) => ({ externals: [] });
const getAlias = () => path.basename(import.meta.url) + '/computed';
export default async (env) => merge(await base(env), {
  resolve: {
    alias: {
      '@lib': path.resolve(__dirname, 'src/lib'),
      view: 'view/dist/view.js',
      exact$: require.resolve('view/dist/other.js'), // comment
      computed: getAlias(),
    },
    fallback: { 
      fs: false,
      'util': false,
    },
  },
});`
	r := mustBundle(t, map[string]string{
		"webpack.config.ts":               config,
		"node_modules/view/dist/view.js":  "module.exports = 'the view';",
		"node_modules/view/dist/other.js": "module.exports = 'the other';",
		"node_modules/exact/part.js":      "module.exports = 'a part';",
		"src/lib/thing.ts":                "export const thing = 'a thing';",
		"src/module.ts": `import { thing } from '@lib/thing'; import view from 'view'; import view2 from 'view/dist/view.js';
import other from 'exact'; import part from 'exact/part'; import * as fs from 'fs'; import * as util from 'util';
export const plugin = [thing, view, view2, other, part, Object.keys(fs).length, typeof util.inspect].join();`,
	})
	_, exports := load(t, r, nil)
	want := "a thing,the view,the view,the other,a part,"
	if got := exports.Get("plugin").String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "undefined") {
		t.Errorf("plugin is %q, want %q", got, want)
	}
}

// Names of Node.js come from packages or have values, as the webpack configuration and slipway.yaml
// say. The others are warnings.
func TestNames(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"webpack.config.ts": `import { ProvidePlugin, DefinePlugin } from 'webpack';
export default { externals: [], plugins: [
  new ProvidePlugin({ Buffer: ['buffer', 'Buffer'], $: 'jq', unused: 'unused', 'window.jQuery': 'jq' }),
  new DefinePlugin({ 'process.env.MODE': JSON.stringify('webpack'), DEBUG: true, SUM: '1 + 1', CONFIG: { a: { b: "'c'" } } }),
] };`,
		"node_modules/buffer/index.js": "exports.Buffer = { from: (text) => 'buffer of ' + text };",
		"node_modules/jq/index.js":     "module.exports = (text) => 'jq of ' + text;",
		"node_modules/unused/index.js": "console.log('a side effect');",
		"src/module.ts": "import './other';\ndeclare const $: any, DEBUG: boolean, SUM: number, CONFIG: any;\n" +
			"export const plugin = [Buffer.from('a'), $('b'), process.env.MODE, DEBUG, process.env.NODE_ENV, SET, SUM, CONFIG.a.b, (window as any).jQuery('w')].join();",
		"src/other.ts": "export const f = (b: Buffer) => process.env.UNSET + process.cwd() + Buffer.name;\nexport const g = (process: any) => 1;",
		"src/guard.ts": "",
	}
	set := func(o *Options) {
		o.Substitutions = config.Substitutions{Define: map[string]string{"process.env.MODE": `"own"`, "SET": "7"}}
	}
	r := mustBundle(t, files, set)
	_, exports := load(t, r, nil)
	if got, want := exports.Get("plugin").String(), "buffer of a,jq of b,own,true,production,7,2,c,jq of w"; got != want {
		t.Errorf("plugin is %q, want %q", got, want)
	}
	if strings.Contains(file(t, r, "module.js"), "a side effect") {
		t.Error("a module is in the bundle although nothing uses its name")
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %v: a file that declares a name is not asked", r.Warnings)
	}

	files["src/other.ts"] = "export const f = (b: Buffer) =>\n  process.env.UNSET + process.cwd() + new Buffer('x');\nexport const all = require.context('./img');\n" +
		"export const more = (require as any).context('./img'), home = (<any>process).env.HOME;\n"
	delete(files, "webpack.config.ts")
	files["src/module.ts"] = "import './other'; import './guarded'; import './methods'; export const plugin = process.env.NODE_ENV;"
	files["src/guarded.ts"] = "export const a = typeof process === 'undefined' ? '' : process.env.HOME;"
	files["src/methods.ts"] = "interface I { process(a: string): void }\nexport class A implements I { async process(a: string) {} }\nexport const b = { process() {}, get Buffer() { return 1; } };\n"
	r = mustBundle(t, files)
	var got []string
	for _, w := range r.Warnings {
		got = append(got, w.String()+"; "+w.Help)
	}
	want := []string{
		"src/other.ts:2:3: nothing defines process.env.UNSET, which browsers do not have; " +
			`give it a value below "frontend" in slipway.yaml: define: {process.env.UNSET: ...}`,
		"src/other.ts:2:23: nothing defines process, which browsers do not have; " +
			`if a package provides it, add it below "frontend" in slipway.yaml: inject: {process: [package, process]}`,
		"src/other.ts:2:43: nothing defines Buffer, which browsers do not have; " +
			`if a package provides it, add it below "frontend" in slipway.yaml: inject: {Buffer: [package, Buffer]}`,
		"src/other.ts:3:20: nothing defines require.context, which browsers do not have; import each of the files by its name",
		"src/other.ts:4:22: nothing defines require.context, which browsers do not have; import each of the files by its name",
		"src/other.ts:4:69: nothing defines process.env.HOME, which browsers do not have; " +
			`give it a value below "frontend" in slipway.yaml: define: {process.env.HOME: ...}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

// versions provides the packages of the repository, and another version of package view to
// these packages.
type versions struct{ own, other string }

func (v versions) Dir(_ context.Context, importer, name string) (string, bool, error) {
	if name == "view" && strings.HasPrefix(importer, v.own) {
		return v.other, true, nil
	}
	return provider{dir: v.own}.Dir(context.Background(), importer, name)
}

// A path into node_modules names the same file of a package in the cache, even one that the
// package does not export, and the repository's own version for every importer.
func TestReplacedByPath(t *testing.T) {
	t.Parallel()
	other := write(t, map[string]string{"node_modules/view/main.cjs": "module.exports = 'another version';", "node_modules/view/package.json": `{"main": "main.cjs"}`})
	cache := write(t, map[string]string{
		"node_modules/user/index.js":      "export { default as view } from 'view';",
		"node_modules/view/package.json":  `{"name": "view", "version": "1.0.0", "main": "main.cjs", "exports": {".": "./module.mjs"}}`,
		"node_modules/view/main.cjs":      "module.exports = 'the main file';",
		"node_modules/view/module.mjs":    "export default 'the module';",
		"node_modules/view/dist/part.cjs": "module.exports = 'a part';",
	})
	r := mustBundle(t, map[string]string{
		"webpack.config.ts": `import path from 'path'; export default { externals: [], resolve: { alias: {
  view: path.resolve(process.cwd(), 'node_modules/view'),
  part: path.join(__dirname, 'node_modules/view/dist/part.cjs'),
} } };`,
		"src/module.ts": "import view from 'view'; import part from 'part'; import { view as theirs } from 'user'; export const plugin = [view, part, theirs].join();",
	}, func(o *Options) { o.Packages = versions{cache, other} })
	_, exports := load(t, r, nil)
	if got, want := exports.Get("plugin").String(), "the main file,a part,the main file"; got != want {
		t.Errorf("plugin is %q, want %q", got, want)
	}
}

// A module of Node.js that the repository does not replace is an error, with what to write for an empty one.
func TestNotReplaced(t *testing.T) {
	t.Parallel()
	for module, more := range map[string]string{
		"fs": "", "node:fs": "", "fs/promises": "", "util": "",
		"path": "; if not, npm install path-browserify", "os": "; if not, npm install os-browserify",
	} {
		files := map[string]string{"src/module.ts": "import * as x from '" + module + "'; export const plugin = Object.keys((x as any).default).length;"}
		_, err := bundle(t, files)
		want := fmt.Sprintf("src/module.ts:1:20: cannot find %q: browsers do not have the modules of Node.js\n"+
			`  help: if the code works without it, write below "frontend" in slipway.yaml: alias: {%[1]q: false}%s`, module, more)
		if err == nil || err.Error() != want {
			t.Errorf("got the error\n%v\nwant\n%s", err, want)
		}
		// The bundler gets what slipway.yaml has for false.
		r, err := bundle(t, files, func(o *Options) { o.Substitutions.Alias = map[string]string{module: ""} })
		if err != nil {
			t.Errorf("%s: %v", module, err)
			continue
		}
		if _, exports := load(t, r, nil); exports.Get("plugin").String() != "0" {
			t.Errorf("%s is not empty", module)
		}
	}
}
