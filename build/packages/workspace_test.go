package packages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// Every kind of lockfile names the package a in the directory packages/a, which imports b.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	for name, files := range map[string]map[string]string{
		"npm": {"package-lock.json": `{"lockfileVersion": 3, "packages": {"": {},
			"node_modules/a": {"resolved": "packages/a", "link": true},
			"packages/a": {"version": "1.0.0"},
			"packages/a/node_modules/b": {"version": "2.0.0"},
			"node_modules/b": {"version": "1.0.0"}}}`},
		"npm 6": {"package-lock.json": `{"lockfileVersion": 1, "dependencies": {
			"a": {"version": "file:packages/a"}, "b": {"version": "2.0.0"}}}`},
		"yarn 1": {"yarn.lock": "# yarn lockfile v1\n\nb@^1.0.0:\n  version \"1.0.0\"\n\nb@^2.0.0:\n  version \"2.0.0\"\n"},
		"yarn 1 link": {"yarn.lock": "# yarn lockfile v1\n\n\"a@link:packages/a\":\n  version \"0.0.0\"\n\nb@^2.0.0:\n  version \"2.0.0\"\n",
			"package.json": `{"dependencies": {"a": "link:packages/a"}}`},
		"yarn 4": {"yarn.lock": `
__metadata:
  version: 8

"a@workspace:*, a@workspace:packages/a":
  version: 0.0.0-use.local
  resolution: "a@workspace:packages/a"
  dependencies:
    b: "npm:^2.0.0"

"b@npm:^2.0.0":
  version: 2.0.0
  resolution: "b@npm:2.0.0"
`, "package.json": `{"dependencies": {"a": "workspace:*"}}`},
		"pnpm": {"pnpm-lock.yaml": `lockfileVersion: '9.0'
importers:
  plugin:
    dependencies:
      a: {specifier: workspace:*, version: link:../packages/a}
  packages/a:
    dependencies:
      b: {specifier: ^2.0.0, version: 2.0.0}
packages:
  b@2.0.0: {resolution: {integrity: sha512-AAAA}}
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if files["package.json"] == "" {
				files["package.json"] = `{"workspaces": ["packages/*"]}`
			}
			files["plugin/package.json"] = `{}`
			files["packages/a/package.json"] = `{"name": "a", "version": "1.0.0", "dependencies": {"b": "^2.0.0"}}`
			o := repo(t, r, files)
			top := o.Root
			o.Root = filepath.Join(top, "plugin")
			s := mustOpen(t, o)
			dir, ok, err := s.Dir(t.Context(), filepath.Join(o.Root, "src", "module.ts"), "a")
			if want := filepath.Join(top, "packages", "a"); !ok || err != nil || !isSame(t, dir, want) {
				t.Fatalf("a is in %q, %v, %v; want %q", dir, ok, err, want)
			}
			if b := s.find(filepath.Join(dir, "src", "index.ts"), "b"); b == nil || b.Version != "2.0.0" {
				t.Errorf("a imports %+v, want b@2.0.0", b)
			}
			testkit.OK(t, os.Remove(filepath.Join(o.Root, "package.json")))
			if _, err := Open(o); err != nil {
				t.Errorf("a plugin without a package.json: %v", err)
			}
		})
	}
}

func isSame(t *testing.T, a, b string) bool {
	t.Helper()
	one := testkit.Must(os.Stat(a))(t)
	two := testkit.Must(os.Stat(b))(t)
	return os.SameFile(one, two)
}

// The directory of a repository may look like a pattern.
func TestWorkspaceBelowPattern(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "[work]")
	testkit.WriteFiles(t, root, map[string]string{"package.json": `{"workspaces": ["./packages/*/"]}`, "packages/a/package.json": `{"name": "a"}`})
	l := newLock(root, filepath.Join(root, "yarn.lock"), yarn1, root)
	testkit.OK(t, readYarn(l, nil))
	if a := l.above(".").find("a"); a == nil || a.URL != "workspace:packages/a" {
		t.Errorf("a is %+v", a)
	}
}

// A path that leads outside the repository, directly or by a symbolic link, is refused.
func TestWorkspaceOutside(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	outside := t.TempDir()
	for name, tc := range map[string]struct{ address, want string }{
		"above":            {"../a", "outside the repository"},
		"absolute":         {filepath.ToSlash(outside), "outside the repository"},
		"through a link":   {"out", "leads outside the repository"},
		"below a link":     {"out/.", "leads outside the repository"},
		"missing":          {"packages/a", "packages"},
		"a file":           {"package.json", "not a directory"},
		"traversal inside": {"packages/../../a", "outside the repository"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{"package-lock.json": `{"packages": {"node_modules/a": {"resolved": "` + tc.address + `", "link": true}}}`})
			if err := os.Symlink(outside, filepath.Join(o.Root, "out")); err != nil {
				t.Skipf("symbolic links are not available: %v", err)
			}
			s := mustOpen(t, o)
			dir, ok, err := s.Dir(t.Context(), o.Root, "a")
			if !ok || err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("found %q, %v, %v; want an error with %q", dir, ok, err, tc.want)
			}
		})
	}
}

// Yarn writes which workspace a path is relative to.
func TestLocal(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"workspace:packages/a":                                  "packages/a",
		"link:./a::locator=b%40workspace%3Apackages%2Fb":        "packages/b/a",
		"portal:../a::locator=b%40workspace%3Apackages%2Fb":     "packages/a",
		"file:./a#./a::hash=0000&locator=root%40workspace%3A.":  "a",
		"link:../../../a::locator=b%40workspace%3Apackages%2Fb": "../a",
	} {
		if got, ok := local(address); !ok || got != want {
			t.Errorf("local(%q) = %q, %v; want %q", address, got, ok, want)
		}
	}
	for _, address := range []string{"", "https://example.com/a.tgz", "git+ssh://git@example.com/a.git", "npm:a@1.0.0"} {
		if got, ok := local(address); ok {
			t.Errorf("local(%q) = %q, want none", address, got)
		}
	}
}
