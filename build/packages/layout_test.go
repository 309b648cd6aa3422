package packages

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// laidOut lays packages out, and checks which one a path leads to. "a/../b" is what a imports as b.
func laidOut(t *testing.T, s *Store, want map[string]string) {
	t.Helper()
	if _, _, err := s.LayOut(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for at := range want {
		real := s.options.Root
		for part := range strings.SplitSeq(at, "/../") {
			next := testkit.Must(filepath.EvalSymlinks(filepath.Join(real, "node_modules", filepath.FromSlash(part))))(t)
			real = strings.TrimSuffix(next, filepath.Join("node_modules", filepath.FromSlash(part)))
		}
		got[at] = filepath.Base(real)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A layout follows its lockfile, and what a package manager wrote stays.
func TestLayOut(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	lock := func(version string) string {
		return fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"version": %q, "integrity": %q},
			"node_modules/@types/x": {"version": "1.0.0", "integrity": %q}}}`, version, r.add(t, "a", version), r.add(t, "@types/x", "1.0.0"))
	}
	const mine, killed = "node_modules-old/mine", ".slipway-old/x" // a backup of somebody, and what a run that was killed leaves
	o := repo(t, r, map[string]string{"package-lock.json": lock("1.0.0"), mine: "", killed: ""})
	for i, version := range []string{"1.0.0", "1.0.0", "1.1.0"} {
		testkit.OK(t, os.WriteFile(filepath.Join(o.Root, "package-lock.json"), []byte(lock(version)), 0o644))
		s := mustOpen(t, o)
		if is := s.IsLaidOut(); is != (i == 1) {
			t.Errorf("%d: IsLaidOut is %v", i, is)
		}
		laidOut(t, s, map[string]string{"a": "a@" + version, "@types/x": "@types+x@1.0.0"})
	}
	if _, err := os.Stat(filepath.Join(o.Root, filepath.FromSlash(mine))); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(o.Root, filepath.FromSlash(killed))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", killed, err)
	}
	modules := filepath.Join(o.Root, "node_modules")
	testkit.OK(t, os.WriteFile(filepath.Join(modules, ".package-lock.json"), nil, 0o644))
	s := mustOpen(t, o)
	if _, _, err := s.LayOut(t.Context(), ""); !errors.Is(err, ErrInstalled) || tree.IsLaidOut(modules) {
		t.Errorf("%v, want ErrInstalled", err)
	}
}

// A repository chooses names, and must not choose where links are made.
func TestLayOutConfined(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../evil", "@s/../../evil", "x/../../evil"} {
		o := repo(t, newRegistry(t), map[string]string{
			"package.json": fmt.Sprintf(`{"dependencies": {%q: "file:packages/a"}}`, name), "packages/a/package.json": `{"name": "a", "version": "1.0.0"}`,
			"package-lock.json": fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"": {"dependencies": {%q: "file:packages/a"}}, "packages/a": {"version": "1.0.0"},
				"node_modules/%s": {"resolved": "packages/a", "link": true}}}`, name, name),
		})
		s, err := Open(o)
		if err == nil {
			_, _, err = s.LayOut(t.Context(), "")
		}
		if err == nil || !strings.Contains(err.Error(), "not the name of a package") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(filepath.Join(o.Root, "evil")); err == nil {
			t.Errorf("%s: a link outside of node_modules", name)
		}
	}
}

// What cannot be had is left out and named.
func TestLayOutLeavesOut(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	lock := fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"": {}, "node_modules/a": {"version": "1.0.0", "integrity": %q, "dependencies": {"b": "github:acme/b"}},
		"node_modules/b": {"version": "2.0.0", "resolved": "https://example.com/acme/b.tgz"}, "node_modules/c": {"version": "3.0.0", "integrity": "sha512-AAAA"}}}`, r.add(t, "a", "1.0.0"))
	for manifest, want := range map[string]string{
		`{"dependencies": {"a": "1.0.0"}}`: "1 [b@2.0.0: packages from example.com are not downloaded, as their registry is HOST] <nil>",
		`{"dependencies": {"a": "1.0.0", "c": "3.0.0"}}`: "1 [b@2.0.0: packages from example.com are not downloaded, as their registry is HOST " +
			"c@3.0.0: http://HOST/c/-/c-3.0.0.tgz: 404 Not Found: the registry does not have it; choose another version in package.json, and update the lockfile, " +
			"or configure the registry that has it in .npmrc] <nil>",
		`{"dependencies": {"b": "github:acme/b"}}`: "0 [] b@2.0.0: packages from example.com are not downloaded, as their registry is HOST",
	} {
		o := repo(t, r, map[string]string{"package.json": manifest, "package-lock.json": lock})
		s := mustOpen(t, o)
		n, left, err := s.LayOut(t.Context(), "")
		got := strings.ReplaceAll(fmt.Sprint(n, " ", left, " ", err), strings.TrimPrefix(r.URL, "http://"), "HOST")
		if got != want {
			t.Errorf("%s: %s, want %s", manifest, got, want)
		}
	}
}
