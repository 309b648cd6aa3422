package packages

import (
	"archive/tar"
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// localLockfiles are lockfiles, as the package managers write them, of a repository with the
// tarball of @acme/x at two paths, once under the name y. integrity and sum are those of the
// tarball, odd the integrity of is-odd, which it requires.
func localLockfiles(integrity, sum, odd string) map[string][2]string {
	return map[string][2]string{
		"npm": {"package-lock.json", fmt.Sprintf(`{"lockfileVersion": 3, "packages": {
			"node_modules/@acme/x": {"version": "1.0.0", "resolved": "file:vendor/@acme/x-1.0.0.tgz", "integrity": %[1]q, "dependencies": {"is-odd": "3.0.1"}},
			"node_modules/is-odd": {"version": "3.0.1", "integrity": %[2]q},
			"node_modules/y": {"name": "@acme/x", "version": "1.0.0", "resolved": "file:vendor/y.tgz", "integrity": %[1]q}}}`, integrity, odd)},
		"pnpm 9": {"pnpm-lock.yaml", fmt.Sprintf(`lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      '@acme/x': {specifier: file:./vendor/@acme/x-1.0.0.tgz, version: file:vendor/@acme/x-1.0.0.tgz}
      y: {specifier: file:vendor/y.tgz, version: '@acme/x@file:vendor/y.tgz'}
packages:
  '@acme/x@file:vendor/@acme/x-1.0.0.tgz': {resolution: {integrity: %[1]s, tarball: file:vendor/@acme/x-1.0.0.tgz}, version: 1.0.0}
  '@acme/x@file:vendor/y.tgz': {resolution: {integrity: %[1]s, tarball: file:vendor/y.tgz}, version: 1.0.0}
  is-odd@3.0.1: {resolution: {integrity: %[2]s}}
snapshots:
  '@acme/x@file:vendor/@acme/x-1.0.0.tgz': {dependencies: {is-odd: 3.0.1}}
  '@acme/x@file:vendor/y.tgz': {dependencies: {is-odd: 3.0.1}}
  is-odd@3.0.1: {}
`, integrity, odd)},
		"pnpm 8": {"pnpm-lock.yaml", fmt.Sprintf(`lockfileVersion: '6.0'
dependencies:
  '@acme/x': {specifier: file:./vendor/@acme/x-1.0.0.tgz, version: file:vendor/@acme/x-1.0.0.tgz}
  y: {specifier: file:vendor/y.tgz, version: file:vendor/y.tgz}
packages:
  /is-odd@3.0.1: {resolution: {integrity: %[2]s}}
  file:vendor/@acme/x-1.0.0.tgz:
    {resolution: {integrity: %[1]s, tarball: file:vendor/@acme/x-1.0.0.tgz}, name: '@acme/x', version: 1.0.0, dependencies: {is-odd: 3.0.1}}
  file:vendor/y.tgz:
    {resolution: {integrity: %[1]s, tarball: file:vendor/y.tgz}, name: '@acme/x', version: 1.0.0, dependencies: {is-odd: 3.0.1}}
`, integrity, odd)},
		"yarn 1": {"yarn.lock", fmt.Sprintf(`# yarn lockfile v1


"@acme/x@file:./vendor/@acme/x-1.0.0.tgz":
  version "1.0.0"
  resolved "file:./vendor/@acme/x-1.0.0.tgz#%[1]s"
  dependencies:
    is-odd "3.0.1"

is-odd@3.0.1:
  version "3.0.1"
  resolved "https://registry.yarnpkg.com/is-odd/-/is-odd-3.0.1.tgz#0000"
  integrity %[2]s

"y@file:vendor/y.tgz":
  version "1.0.0"
  resolved "file:vendor/y.tgz#%[1]s"
  dependencies:
    is-odd "3.0.1"
`, sum, odd)},
		"yarn 4": {"yarn.lock", `
__metadata:
  version: 10

"@acme/x@file:./vendor/@acme/x-1.0.0.tgz::locator=r%40workspace%3A.":
  version: 1.0.0
  resolution: "@acme/x@file:./vendor/@acme/x-1.0.0.tgz#./vendor/@acme/x-1.0.0.tgz::hash=632289&locator=r%40workspace%3A."
  dependencies:
    is-odd: "npm:3.0.1"

"is-odd@npm:3.0.1":
  version: 3.0.1
  resolution: "is-odd@npm:3.0.1"

"y@file:vendor/y.tgz::locator=r%40workspace%3A.":
  version: 1.0.0
  resolution: "y@file:vendor/y.tgz#vendor/y.tgz::hash=632289&locator=r%40workspace%3A."
  dependencies:
    is-odd: "npm:3.0.1"
`},
	}
}

func TestLocalTarballs(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	odd := r.add(t, "is-odd", "3.0.1")
	packed := tarball(t, tar.Header{Name: "package/index.js"}, tar.Header{Name: "package/package.json"})
	for name, lock := range localLockfiles(integrityOf(packed), fmt.Sprintf("%x", sha1.Sum(packed)), odd) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{lock[0]: lock[1],
				"package.json":             `{"dependencies": {"@acme/x": "file:./vendor/@acme/x-1.0.0.tgz", "y": "file:vendor/y.tgz"}}`,
				"vendor/@acme/x-1.0.0.tgz": string(packed),
				"vendor/y.tgz":             string(packed),
				".npmrc":                   "registry=" + r.URL + "\n@acme:registry=https://example.com/",
			})
			o.Offline = true // a tarball of the repository is not downloaded
			s := mustOpen(t, o)
			for _, imported := range []string{"@acme/x", "y"} {
				dir, ok, err := s.Dir(t.Context(), filepath.Join(o.Root, "src", "module.ts"), imported)
				if !ok || err != nil {
					t.Fatalf("%s: %v, %v", imported, ok, err)
				}
				index := filepath.Join(dir, "node_modules", filepath.FromSlash(imported), "index.js")
				if text, err := os.ReadFile(index); err != nil || string(text) != "package/index.js" {
					t.Errorf("%s contains %q, %v", index, text, err)
				}
				if p := s.find(index, "is-odd"); p == nil || p.Version != "3.0.1" {
					t.Errorf("%s imports %+v as is-odd", imported, p)
				}
			}
			if n, _ := s.Downloaded(); n != 0 {
				t.Errorf("%d downloads", n)
			}
		})
	}
}

// A tarball that is not the one of the lockfile is refused, even if that one is in the cache.
func TestOtherLocalTarball(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	packed := tarball(t, tar.Header{Name: "package/index.js"})
	for name, lock := range localLockfiles(integrityOf(packed), fmt.Sprintf("%x", sha1.Sum(packed)), "") {
		if name == "yarn 4" {
			continue // its lockfile has a hash of its own kind
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{lock[0]: lock[1], "vendor/y.tgz": string(packed)})
			for _, want := range []string{"", `y comes from "vendor/y.tgz": the tarball does not match its integrity hash`} {
				s := mustOpen(t, o)
				_, _, err := s.Dir(t.Context(), o.Root, "y")
				if got := fmt.Sprint(err); want != "" && got != want || want == "" && err != nil {
					t.Errorf("%s, want %q", got, want)
				}
				other := tarball(t, tar.Header{Name: "package/other.js"})
				testkit.OK(t, os.WriteFile(filepath.Join(o.Root, "vendor", "y.tgz"), other, 0o644))
			}
		})
	}
}

func TestLocalTarballsRefused(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	hostile := tarball(t, tar.Header{Name: "package/../../x"})
	outside := filepath.Join(t.TempDir(), "x.tgz")
	testkit.OK(t, os.WriteFile(outside, tarball(t, tar.Header{Name: "package/index.js"}), 0o644))
	for name, tc := range map[string]struct{ at, want string }{
		"above":         {"file:../x.tgz", `"../x.tgz", which is outside the repository`},
		"absolute":      {"file:" + outside, "which is outside the repository"},
		"behind a link": {"file:link.tgz", `"link.tgz", a link that leads outside the repository`},
		"missing":       {"file:none.tgz", "no such file"},
		"not a tarball": {"file:package.json", `a comes from "package.json": read tarball: gzip: invalid header`},
		"traversal":     {"file:hostile.tgz", "leads outside"},
		"a device":      {"file:zero", `"zero", a link that leads outside`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{
				"package-lock.json": fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "resolved": %q}}}`, tc.at),
				"hostile.tgz":       string(hostile),
			})
			for link, to := range map[string]string{"link.tgz": outside, "zero": "/dev/zero"} {
				if err := os.Symlink(to, filepath.Join(o.Root, link)); err != nil {
					t.Skipf("no symbolic links: %v", err)
				}
			}
			s := mustOpen(t, o)
			if _, _, err := s.Dir(t.Context(), o.Root, "a"); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if left, err := os.ReadDir(o.CacheDir); err != nil && !os.IsNotExist(err) || len(left) > 0 {
				t.Errorf("left behind: %v (%v)", left, err)
			}
		})
	}
}

// TestAlias imports a package by another name. It comes from the registry of its own name.
func TestAlias(t *testing.T) {
	t.Parallel()
	scoped, plain := newRegistry(t), newRegistry(t)
	integrity := scoped.add(t, "@s/b", "1.0.0")
	for name, lock := range map[string][2]string{
		"npm": {"package-lock.json", fmt.Sprintf(`{"packages": {"node_modules/a": {"name": "@s/b", "version": "1.0.0", "integrity": %[1]q},
			"node_modules/@s/b": {"version": "1.0.0", "integrity": %[1]q}}}`, integrity)},
		"npm 6": {"package-lock.json", fmt.Sprintf(`{"dependencies": {"a": {"version": "npm:@s/b@1.0.0", "integrity": %[1]q},
			"@s/b": {"version": "1.0.0", "integrity": %[1]q}}}`, integrity)},
		"yarn 1": {"yarn.lock", fmt.Sprintf("# yarn lockfile v1\n\n\"@s/b@1\", \"a@npm:@s/b@1\":\n  version \"1.0.0\"\n  integrity %s\n\n"+
			"\"a@npm:@s/b@^1\":\n  version \"1.0.0\"\n  integrity %[1]s\n", integrity)},
		"yarn": {"yarn.lock", yarnLock("@s/b@npm:1 > @s/b@npm:1.0.0\na@npm:@s/b@^1 > @s/b@npm:1.0.0")},
		"pnpm": {"pnpm-lock.yaml", fmt.Sprintf("importers: {.: {dependencies: {a: {version: '@s/b@1.0.0'}, '@s/b': {version: 1.0.0}}}}\n"+
			"packages: {'@s/b@1.0.0': {resolution: {integrity: %s}}}", integrity)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustOpen(t, repo(t, plain, map[string]string{lock[0]: lock[1],
				"package.json": `{"dependencies": {"a": "npm:@s/b@^1", "@s/b": "1"}}`,
				".npmrc":       "registry=" + plain.URL + "\n@s:registry=" + scoped.URL}))
			for _, name := range []string{"a", "@s/b"} {
				dir, _, err := s.Dir(t.Context(), filepath.Join(s.options.Root, "package.json"), name)
				if err != nil || !exists(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "index.js")) {
					t.Errorf("%s is not in %s (%v)", name, dir, err)
				}
			}
		})
	}
}

// TestStaleStaging removes what a killed process left behind, but not what another one uses.
func TestStaleStaging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale, used := filepath.Join(dir, stagingPrefix+"123"), filepath.Join(dir, stagingPrefix+"456")
	for _, dir := range []string{stale, used} {
		testkit.OK(t, os.Mkdir(dir, 0o755))
	}
	testkit.OK(t, os.Chtimes(stale, time.Time{}, time.Now().Add(-2*staleAfter)))
	removeStaging(dir)
	if exists(stale) || !exists(used) {
		t.Errorf("the stale directory exists: %t, the other one: %t", exists(stale), exists(used))
	}
}
