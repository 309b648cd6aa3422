package frontend

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestPackageDir(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"/r/node_modules/a/index.js":                            "/r/node_modules/a",
		"/r/node_modules/@s/b/dist/index.js":                    "/r/node_modules/@s/b",
		"/r/node_modules/a/node_modules/b/x.js":                 "/r/node_modules/a/node_modules/b",
		"/r/node_modules/.pnpm/a@1.0.0/node_modules/a/lib/x.js": "/r/node_modules/.pnpm/a@1.0.0/node_modules/a",
		"/cache/@s+b-0123456789/node_modules/@s/b/x.js":         "/cache/@s+b-0123456789/node_modules/@s/b",
		"/r/src/module.ts":                                      "",
		"/r/node_modules/x.js":                                  "",
		"/r/node_modules/@s/x.js":                               "",
	} {
		dir, ok := packageDir(filepath.FromSlash(file))
		if !ok {
			dir = ""
		}
		if filepath.ToSlash(dir) != want {
			t.Errorf("%s is in %q, want %q", file, dir, want)
		}
	}
}

func TestReadPackage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Package{
		`{"name": "a", "version": "1.0.0", "license": "MIT"}`:                              {Name: "a", Version: "1.0.0", License: "MIT"},
		`{"version": "1.0.0", "license": {"type": "ISC", "url": "x"}}`:                     {Name: "@s/x", Version: "1.0.0", License: "ISC"},
		`{"name": "a", "version": "1.0.0", "licenses": [{"type": "MIT"}]}`:                 {Name: "a", Version: "1.0.0"},
		`{"name": "a", "version": "1.0.0", "license": "` + strings.Repeat("x", 300) + `"}`: {Name: "a", Version: "1.0.0"},
		`{"name": "` + strings.Repeat("x", 300) + `", "version": "1.0.0"}`:                 {Name: "@s/x"},
		`{"name": 1}`: {Name: "@s/x"},
		"":            {Name: "@s/x"},
	} {
		dir := filepath.Join(t.TempDir(), "node_modules", "@s", "x")
		testkit.WriteFile(t, filepath.Join(dir, "package.json"), text)
		if diff := cmp.Diff(want, readPackage(dir)); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", text, diff)
		}
	}
}

// A style sheet imports packages that nothing else imports, as CSS does and as webpack's loaders do. A path into node_modules
// leads to the package, wherever it is.
func TestFilesOfPackages(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{
		"theme/node_modules/theme/all.css": ".theme{background:url(dot.png)}",
		"theme/node_modules/theme/dot.png": "dot",
	})
	for name, source := range map[string][2]string{
		"as CSS does":             {"a.css", `@import 'theme/all.css';`},
		"as url":                  {"a.css", `@import url("theme/all.css");`},
		"as webpack's loaders do": {"a.css", `@import '~theme/all.css';`},
		"an image":                {"a.css", `.theme{background:url(~theme/dot.png)}`},
		"by path":                 {"a.css", `@import '../node_modules/theme/all.css';`},
		"an image by path":        {"a.css", `.theme{background:url("../node_modules/theme/dot.png")}`},
		"a module by path":        {"module.ts", `import "../node_modules/theme/all.css"`},
		"a URL by path":           {"module.ts", `export const plugin = new URL("../node_modules/theme/dot.png", import.meta.url)`},
		"a URL by an alias":       {"module.ts", `export const plugin = new URL("other/dot.png", import.meta.url)`},
		"of a workspace":          {"module.ts", `import "../../node_modules/theme/all.css"`},
	} {
		files := map[string]string{"src/module.ts": "import './a.css'", "src/" + source[0]: source[1]}
		r, err := bundle(t, files, func(o *Options) {
			o.Packages, o.Substitutions.Alias = cached{cache}, map[string]string{"other": "./node_modules/theme"}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if code := file(t, r, "module.js"); !strings.Contains(code, "dot-") {
			t.Errorf("%s: module.js contains\n%s", name, code)
		}
	}
	_, err := bundle(t, map[string]string{"src/module.ts": "import './a.css'", "src/a.css": "@import '~none/all.css';"}, func(o *Options) { o.Packages = cached{cache} })
	const want = `src/a.css:1:9: cannot find the package "none"`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got the error %v, want %s", err, want)
	}
}

// The comments that licenses ask for are in a file beside module.js, wherever the code or the styles end up.
func TestLicenses(t *testing.T) {
	t.Parallel()
	comment := func(of string) string { return "/*! " + of + " | MIT */\n" }
	for _, await := range []string{"", "await 0;"} {
		files := map[string]string{
			"src/module.ts":             comment("own") + "import './own.css'; import { x } from 'dep'; export const plugin = x + new URL('./work', import.meta.url).href;" + await,
			"src/own.css":               comment("style") + "a { color: red }",
			"src/work.ts":               comment("worker") + "globalThis.x = 1;" + await,
			"node_modules/dep/index.js": "/**\n * @license dep\n */\nexports.x = 'dep ';",
		}
		shared := map[string]string{"module": "{ uri: 'https://cdn/module.js' }"}
		r := mustBundle(t, files)
		got := file(t, r, "module.js.LICENSE.txt")
		for _, want := range []string{"own", "style", "worker", "@license dep"} {
			if strings.Count(got, want) != 1 {
				t.Errorf("%q: %s is not in it once:\n%s", await, want, got)
			}
		}
		code := file(t, r, "module.js")
		if !strings.Contains(code, "\n/*! For license information please see module.js.LICENSE.txt */\n") || strings.Contains(code, "MIT") {
			t.Errorf("%q: module.js is\n%s", await, code)
		}
		if worker := bySuffix(t, r, ".js", "work-"); strings.Contains(worker, "/*!") {
			t.Errorf("%q: the worker is\n%s", await, worker)
		}
		load(t, r, shared)
		if again, err := bundle(t, files); err != nil || file(t, again, "module.js.LICENSE.txt") != got {
			t.Errorf("%q: the second bundle has others: %v", await, err)
		}
		if r, err := bundle(t, files, func(o *Options) { o.Dev = true }); err != nil || len(r.Files) != 3 {
			t.Errorf("%q: a bundle for development has %d files: %v", await, len(r.Files), err)
		}
	}
	r, err := bundle(t, map[string]string{"src/module.ts": "// without any\nexport const plugin = 1;"})
	if err != nil || len(r.Files) != 2 || strings.Contains(file(t, r, "module.js"), "license") {
		t.Errorf("without comments, the bundle has %d files: %v", len(r.Files), err)
	}
}
