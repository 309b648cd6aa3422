package frontend

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build/bundlerconfig"
	"github.com/slipway-dev/slipway/build/watchdog"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// fakeSass has the interface of the package sass. It replaces imports with what the importer
// loads, and reports "BAD" as a syntax error.
const fakeSass = `
/*! its license */
exports.Logger = { silent: {} };
exports.compileString = (text, o) => {
  const bad = text.indexOf('BAD');
  if (bad >= 0) {
    const line = text.slice(0, bad).split('\n').length - 1;
    const e = new Error('unexpected BAD');
    e.sassMessage = text.includes('@use') ? "Can't find stylesheet to import." : 'unexpected BAD';
    e.span = { start: { line, column: 2 }, context: text.split('\n')[line] + '\n', url: o.url };
    throw e;
  }
  return { css: text.replace(/@use "([^"]+)";/g, (_, name) => {
    const relative = name.startsWith('.') ? String(o.url).replace(/[^/]*$/, '') + name : name;
    const found = o.importer.canonicalize(relative) || o.importer.canonicalize(name);
    if (!found) {
      throw new Error('cannot find ' + name);
    }
    const { contents, syntax } = o.importer.load(found);
    return '/*' + syntax + '*/' + contents;
  }) };
};`

func TestSass(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"node_modules/sass/index.js":        fakeSass,
		"node_modules/theme/styles/all.css": ".theme{color:red}",
		"src/module.ts":                     "import './style.scss'; export const plugin = 1;",
		"src/style.scss":                    `@use "./part"; @use "theme/styles/all"; @use "~theme/styles/all.css"; .own{background:url(dot.png)}`,
		"src/_part.scss":                    ".part{color:blue}",
		"src/dot.png":                       "dot",
	}
	r := mustBundle(t, files)
	code := file(t, r, "module.js")
	for _, want := range []string{".part{color:#00f}", ".theme{color:red}", basePlaceholder + "dot-"} {
		if !strings.Contains(code, want) {
			t.Errorf("module.js does not contain %q", want)
		}
	}
	for _, want := range []string{"src/style.scss", "src/_part.scss", "node_modules/theme/styles/all.css"} {
		if !slices.Contains(r.Read, want) {
			t.Errorf("the bundle read %q, without %s", r.Read, want)
		}
	}
}

// unasked fails the test if it is asked for a package.
type unasked struct{ *testing.T }

func (u unasked) Dir(_ context.Context, _, name string) (string, bool, error) {
	u.Errorf("asked for the package %s", name)
	return "", false, nil
}

// What node_modules contains is not downloaded.
func TestSassInstalled(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"node_modules/theme/_all.scss": ""})
	s := &sass{b: newBundler(t.Context(), Options{Root: root, Packages: unasked{t}}, &bundlerconfig.Config{})}
	got, err := s.find(filepath.Join(root, "src", "style.scss"), "theme/all")
	if want := fileURL(filepath.Join(root, "node_modules", "theme", "_all.scss")); err != nil || got != want {
		t.Errorf("found %q, %v, want %q", got, err, want)
	}
}

// A path into node_modules names a package, wherever that is.
func TestSassRelative(t *testing.T) {
	t.Parallel()
	root, cache := t.TempDir(), write(t, map[string]string{"node_modules/@a/theme/_all.scss": ""})
	s := &sass{b: newBundler(t.Context(), Options{Root: root, Packages: provider{dir: cache}}, &bundlerconfig.Config{})}
	got, err := s.find(filepath.Join(root, "src", "style.scss"), fileURL(filepath.Join(root, "node_modules", "@a", "theme", "all")))
	if want := fileURL(filepath.Join(cache, "node_modules", "@a", "theme", "_all.scss")); err != nil || got != want {
		t.Errorf("found %q, %v, want %q", got, err, want)
	}
}

func TestSassErrors(t *testing.T) {
	t.Parallel()
	module := "import './style.scss'; export const plugin = 1;"
	for name, tc := range map[string]struct {
		files map[string]string
		want  Message
	}{
		"a syntax error": {map[string]string{"node_modules/sass/index.js": fakeSass, "src/style.scss": ".a{}\n.bBAD{}"},
			Message{File: "src/style.scss", Line: 2, Column: 3, Source: ".bBAD{}", Length: 1, Text: "unexpected BAD"}},
		"an import": {map[string]string{"node_modules/sass/index.js": fakeSass, "src/style.scss": `@ "x/BAD"; @use`},
			Message{File: "src/style.scss", Line: 1, Column: 3, Source: `@ "x/BAD"; @use`, Length: 1, Text: `cannot find the style sheet "x/BAD"; @use`}},
		"PostCSS in a style sheet that it uses": {map[string]string{"node_modules/sass/index.js": fakeSass, "src/style.scss": `@use "./part";`, "src/_part.scss": "\n@tailwind base;"},
			Message{File: "src/style.scss", Line: 1, Column: 1, Text: "@tailwind is for a plugin of PostCSS, which builds do not run", Help: bundlerconfig.OwnBundler}},
		"a missing package": {map[string]string{"src/style.scss": ".a{}"},
			Message{File: "src/module.ts", Line: 1, Column: 8, Source: module, Length: 14, Text: `cannot compile Sass: cannot find the package "sass"`,
				Help: sassHelp}},
		"an old package": {map[string]string{"src/style.scss": ".a{}", "node_modules/sass/index.js": "require('fs')"},
			Message{File: "src/module.ts", Line: 1, Column: 8, Source: module, Length: 14, Text: `cannot compile Sass: this version of the package "sass" needs Node.js`,
				Help: sassHelp}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.files["src/module.ts"] = module
			_, err := bundle(t, tc.files)
			e, ok := errors.AsType[*Error](err)
			if !ok || len(e.Messages) != 1 {
				t.Fatalf("%v, want one message", err)
			}
			if diff := cmp.Diff(tc.want, e.Messages[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An import that is not found because of its package says what is wrong with that.
func TestSassPackageError(t *testing.T) {
	t.Parallel()
	_, err := bundle(t, map[string]string{
		"node_modules/sass/index.js": fakeSass,
		"src/module.ts":              "import './style.scss';",
		"src/style.scss":             `@use "theme/all";`,
	}, func(o *Options) { o.Packages = provider{err: errors.New("refused")} })
	if err == nil || !strings.Contains(err.Error(), "cannot find theme/all") || !strings.Contains(err.Error(), ": refused") {
		t.Errorf("%v, want an error", err)
	}
}

// A compiler that never returns ends with the context, and one that recurses without end is
// stopped.
func TestSassHostile(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"node_modules/sass/index.js": "const f = () => f() + 1; f();",
		"src/module.ts":              "import './style.scss';", "src/style.scss": "",
	}
	if _, err := bundle(t, files); err == nil {
		t.Error("no error")
	}
	files["node_modules/sass/index.js"] = "for (;;);"
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	root := write(t, files)
	if _, err := Bundle(ctx, Options{Root: root, Source: filepath.Join(root, "src")}); err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("%v, want an error", err)
	}
	// What is not a style sheet cannot be read.
	files["node_modules/sass/index.js"] = "exports.Logger={};exports.compileString=(_,o)=>({css:o.importer.load(new URL('file:///etc/passwd')).contents})"
	if _, err := bundle(t, files); err == nil || !strings.Contains(err.Error(), "is not a style sheet") {
		t.Errorf("%v, want an error", err)
	}
}

// A compiler whose start is canceled is started again.
func TestSassCanceled(t *testing.T) {
	t.Parallel()
	root := write(t, map[string]string{"node_modules/sass/index.js": "for (;;);", "src/style.scss": ".a{}"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &sass{b: newBundler(ctx, Options{Root: root, Source: filepath.Join(root, "src")}, &bundlerconfig.Config{}), limits: sassLimits()}
	in := api.OnLoadArgs{Path: filepath.Join(root, "src", "style.scss")}
	if _, err := s.load(in); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(root, "node_modules", "sass", "index.js"), []byte(fakeSass), 0o644))
	s.b.ctx = t.Context()
	if r, err := s.load(in); err != nil || len(r.Errors) > 0 {
		t.Errorf("%v, %v, want no errors", err, r.Errors)
	}
}

// TestSassLimits stops a style sheet that never ends, and one that takes all memory.
func TestSassLimits(t *testing.T) {
	t.Parallel()
	for name, compiler := range map[string]struct {
		code, want string
		limits     watchdog.Limits
	}{
		"time":   {"for (;;);", watchdog.ErrTime.Error(), watchdog.Limits{Time: time.Second, Heap: 1 << 40}},
		"memory": {"for (const all = [];;) all.push(new Array(100000).fill(0));", watchdog.ErrMemory.Error(), watchdog.Limits{Time: time.Hour, Heap: 64 << 20}},
	} {
		root := write(t, map[string]string{
			"node_modules/sass/index.js": "exports.Logger = {}; exports.compileString = () => { " + compiler.code + " };",
			"src/module.ts":              "import './style.scss';", "src/style.scss": "a{}",
		})
		o := Options{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel"}
		sheets := &sass{b: newBundler(t.Context(), o, &bundlerconfig.Config{}), limits: compiler.limits}
		got, err := sheets.load(api.OnLoadArgs{Path: filepath.Join(root, "src", "style.scss")})
		if err != nil || len(got.Errors) != 1 || got.Errors[0].Text != "compile Sass: "+compiler.want {
			t.Errorf("%s: got %+v (%v)", name, got.Errors, err)
		}
	}
}
