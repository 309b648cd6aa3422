package typecheck

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// repo writes a repository whose compiler prints a text.
func repo(t *testing.T, text string, files map[string]string) Options {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a shell script")
	}
	native := "node_modules/" + nativeName()
	all := map[string]string{
		"tsconfig.json": "{}", "node_modules/typescript/package.json": `{"version": "7.1.0"}`, native + "/package.json": `{"version": "7.1.0"}`,
		native + "/lib/tsc": "#!/bin/sh\ncat <<'end'\n" + text + "\nend\ncase '" + text + "' in *error*) exit 2;; esac\n",
	}
	maps.Copy(all, files)
	o := Options{Root: t.TempDir(), CacheDir: t.TempDir()}
	testkit.WriteFiles(t, o.Root, all)
	return o
}

func TestCheck(t *testing.T) {
	t.Parallel()
	files := map[string]string{"src/a.ts": "x\n'ä😀' as y\r\n", "src/b (1).ts": ""}
	for text, want := range map[string]string{
		"/lib.d.ts\n/src/a.ts": "",
		"src/a.ts(2,6): error TS2322: Type a.\n  Type b.\nsrc/b (1).ts(9,1): error TS1: c: d\nerror TS2688: e\n/lib.d.ts\n": "src/a.ts(2,6): error TS2322: Type a.\n  Type b.\n" +
			"  8 of 'ä😀' as y\nsrc/b (1).ts(9,1): error TS1: c: d\n  0 of \nerror TS2688: e\n  0 of ",
		"":                                 "names no files itself",
		"error TS18003: No inputs.":        "TypeScript 7.1.0 checked no files: No inputs.",
		"panic: an error":                  "TypeScript 7.1.0 ended early: panic: an error",
		"an error\n/node_modules/lib.d.ts": "TypeScript 7.1.0 failed: an error",
	} {
		c := testkit.Must(Find(t.Context(), repo(t, text, files)))(t)
		list, err := c.Check(t.Context())
		if err != nil {
			if !strings.Contains(err.Error(), want) || want == "" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var got []string
		for _, p := range list {
			got = append(got, p.String()+"\n  "+string(rune('0'+p.Offset()))+" of "+p.Source)
		}
		if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
			t.Error(diff)
		}
	}
}

// Options that the pinned compiler refuses are replaced by what means the same.
func TestConfig(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]string{
		`{"compilerOptions": {"baseUrl": "./src"}}`: "tsconfig.json",
		"not JSON": "tsconfig.json",
		`{"compilerOptions": {"rootDir": "./src", "downlevelIteration": true}, "files": ["./a.ts"]}`: `{"compilerOptions":{"downlevelIteration":null,` +
			`"noUncheckedSideEffectImports":false,"rootDir":null,"strict":false,"types":["*"]},"extends":"ROOT/tsconfig.json","files":["ROOT/a.ts"],"include":[]}`,
		`{"compilerOptions": {"strict": true, "types": [], "moduleResolution": "node"}, "files": ["./a.ts"]}`: `{"compilerOptions":{"downlevelIteration":null,` +
			`"moduleResolution":"bundler","noUncheckedSideEffectImports":false,"resolvePackageJsonExports":false,"resolvePackageJsonImports":false,` +
			`"rootDir":null},"extends":"ROOT/tsconfig.json","files":["ROOT/a.ts"],"include":[]}`,
		`{"compilerOptions": {"strict": true, "types": [], "noUncheckedSideEffectImports": true, "baseUrl": "./src", "paths": {"@/*": ["x/*"]}}, "files": ["./src/a.ts"]}`: `{` +
			`"compilerOptions":{"baseUrl":null,"downlevelIteration":null,` +
			`"paths":{"*":["ROOT/src/*"],"@/*":["ROOT/src/x/*","ROOT/src/@/*"]},"rootDir":null},"extends":"ROOT/tsconfig.json","files":["ROOT/src/a.ts"],"include":[]}`,
	} {
		o := repo(t, shown, nil)
		c := testkit.Must(Find(t.Context(), o))(t)
		c.isPinned, c.Locked, c.modules = true, "5.9.3", filepath.Join(o.Root, "node_modules")
		got, err := c.config(t.Context())
		if text, err := os.ReadFile(got); err == nil {
			got = strings.ReplaceAll(string(text), filepath.ToSlash(o.Root), "ROOT")
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", shown, err, diff)
		}
	}
}

// What is missing is a reason, and only what Bring brings is ErrNotBrought.
func TestFind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remove, file string
		isBrought    bool
	}{
		"no tsconfig.json":  {"tsconfig.json", "", true},
		"no node_modules":   {"node_modules", "", false},
		"other platform":    {"node_modules/@typescript", "", false},
		"older lockfile":    {"", "package-lock.json", false},
		"damaged lockfile":  {"", "node_modules/.slipway-lockfile", true},
		"what is installed": {"", "", true},
	} {
		files := map[string]string{}
		switch c.file {
		case "package-lock.json":
			files = map[string]string{c.file: `{"lockfileVersion": 3, "packages": {}}`, "package.json": "{}", "node_modules/.slipway-lockfile": "another"}
		case "node_modules/.slipway-lockfile":
			files = map[string]string{c.file: "", "package-lock.json": "{", "package.json": "{}"}
		}
		o := repo(t, "", files)
		if c.remove != "" {
			testkit.OK(t, os.RemoveAll(filepath.Join(o.Root, filepath.FromSlash(c.remove))))
		}
		_, err := Find(t.Context(), o)
		if (err == nil) != (name == "what is installed") || errors.Is(err, ErrNotBrought) == c.isBrought {
			t.Errorf("%s: %v", name, err)
		}
	}
}
