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
