package packages

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// With pnpm, a package finds what others require, even if it does not require it: of several versions the
// one nearest to the repository. The repository itself does not find it.
func TestHoisted(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	integrity := r.add(t, "a", "1.0.0")
	o := repo(t, r, map[string]string{"pnpm-lock.yaml": fmt.Sprintf(`lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.0.0}
    devDependencies:
      b: {specifier: ^1.0.0, version: 1.0.0}
packages:
  a@1.0.0: {resolution: {integrity: %s}}
snapshots:
  a@1.0.0: {dependencies: {deep: 1.0.0}}
  b@1.0.0: {dependencies: {near: 2.0.0}, optionalDependencies: {maybe: 1.0.0}}
  deep@1.0.0: {dependencies: {near: 1.0.0, far: 1.0.0, a: 1.0.0}}
`, integrity)})
	s := mustOpen(t, o)
	main := filepath.Join(o.Root, "src", "module.ts")
	dir, ok, err := s.Dir(t.Context(), main, "a")
	if !ok || err != nil {
		t.Fatalf("a: %v, %v", ok, err)
	}
	inside := filepath.Join(dir, "node_modules", "a", "index.js")
	got := map[string]string{}
	for from, importer := range map[string]string{"a": inside, "the repository": main} {
		for _, name := range []string{"near", "far", "maybe", "absent"} {
			if p := s.find(importer, name); p != nil {
				got[name+" of "+from] = p.Version
			}
		}
	}
	want := map[string]string{"near of a": "2.0.0", "far of a": "1.0.0", "maybe of a": "1.0.0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Of several documents, the last one is the repository's: pnpm puts what it uses itself before it.
func TestDocuments(t *testing.T) {
	t.Parallel()
	const own, repository = "importers: {.: {dependencies: {pnpm: {version: 12.0.0}}}}\npackages: {pnpm@12.0.0: {}}\n",
		"importers: {.: {dependencies: {a: {version: 1.0.0}}}}\npackages: {a@1.0.0: {}}\n"
	for _, text := range []string{
		repository, "---\n" + repository, "---\n" + own + "---\n" + repository, own + "---\n" + repository + "---\n", own + "...\n---\n" + repository,
	} {
		l := newLock(t.TempDir(), "", pnpm, "")
		testkit.OK(t, readPNPM(l, []byte(text)))
		if p := l.above(".").find("a"); p == nil || p.Version != "1.0.0" || l.above(".").find("pnpm") != nil {
			t.Errorf("%q: found %+v", text, p)
		}
	}
}
