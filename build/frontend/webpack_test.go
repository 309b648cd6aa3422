package frontend

import (
	"context"
	"strings"
	"testing"
)

func TestReplacements(t *testing.T) {
	t.Parallel()
	config := `
import path from 'path';
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
	r, err := bundle(t, map[string]string{
		"webpack.config.ts":               config,
		"node_modules/view/dist/view.js":  "module.exports = 'the view';",
		"node_modules/view/dist/other.js": "module.exports = 'the other';",
		"node_modules/exact/part.js":      "module.exports = 'a part';",
		"src/lib/thing.ts":                "export const thing = 'a thing';",
		"src/module.ts": `import { thing } from '@lib/thing'; import view from 'view'; import view2 from 'view/dist/view.js';
import other from 'exact'; import part from 'exact/part'; import * as fs from 'fs'; import * as util from 'util';
export const plugin = [thing, view, view2, other, part, Object.keys(fs).length, typeof util.inspect].join();`,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, exports := load(t, r, nil)
	want := "a thing,the view,the view,the other,a part,"
	if got := exports.Get("plugin").String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "undefined") {
		t.Errorf("plugin is %q, want %q", got, want)
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
	r, err := bundle(t, map[string]string{
		"webpack.config.ts": `export default { resolve: { alias: {
  view: path.resolve(process.cwd(), 'node_modules/view'),
  part: path.join(__dirname, 'node_modules/view/dist/part.cjs'),
} } };`,
		"src/module.ts": "import view from 'view'; import part from 'part'; import { view as theirs } from 'user'; export const plugin = [view, part, theirs].join();",
	}, func(o *Options) { o.Packages = versions{cache, other} })
	if err != nil {
		t.Fatal(err)
	}
	_, exports := load(t, r, nil)
	if got, want := exports.Get("plugin").String(), "the main file,a part,the main file"; got != want {
		t.Errorf("plugin is %q, want %q", got, want)
	}
}

// A module of Node.js that the repository does not replace is an error.
func TestNotReplaced(t *testing.T) {
	t.Parallel()
	_, err := bundle(t, map[string]string{"src/module.ts": "import 'util';"})
	if err == nil || !strings.Contains(err.Error(), `cannot find the package "util"`) {
		t.Errorf("%v, want an error", err)
	}
}
