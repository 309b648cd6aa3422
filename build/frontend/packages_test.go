package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, readPackage(dir)); diff != "" {
			t.Errorf("%.80s (-want +got):\n%s", text, diff)
		}
	}
}

// A style sheet imports packages that nothing else imports, as CSS does and as webpack's loaders do.
func TestPackagesOfStyles(t *testing.T) {
	t.Parallel()
	cache := write(t, map[string]string{
		"theme/node_modules/theme/all.css": ".theme{background:url(dot.png)}",
		"theme/node_modules/theme/dot.png": "dot",
	})
	for name, style := range map[string]string{
		"as CSS does":             `@import 'theme/all.css';`,
		"as url":                  `@import url("theme/all.css");`,
		"as webpack's loaders do": `@import '~theme/all.css';`,
		"an image":                `.theme{background:url(~theme/dot.png)}`,
	} {
		files := map[string]string{"src/module.ts": "import './a.css'", "src/a.css": style}
		r, err := bundle(t, files, func(o *Options) { o.Packages = cached{cache} })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if code := file(t, r, "module.js"); !strings.Contains(code, basePlaceholder+"dot-") {
			t.Errorf("%s: module.js contains\n%s", name, code)
		}
	}
	_, err := bundle(t, map[string]string{"src/module.ts": "import './a.css'", "src/a.css": "@import '~none/all.css';"}, func(o *Options) { o.Packages = cached{cache} })
	const want = `src/a.css:1:9: cannot find the package "none"`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got the error %v, want %s", err, want)
	}
}
