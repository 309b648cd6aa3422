package packages

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAlias imports a package of the registry by another name.
func TestAlias(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(
		`{"packages": {"node_modules/a": {"name": "@s/b", "version": "1.0.0", "integrity": %[1]q}, "node_modules/@s/b": {"version": "1.0.0", "integrity": %[1]q}}}`,
		r.add(t, "@s/b", "1.0.0"))})
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "@s/b"} {
		dir, _, err := s.Dir(t.Context(), o.Root, name)
		if err != nil || !exists(filepath.Join(dir, "node_modules", filepath.FromSlash(name), "index.js")) {
			t.Errorf("%s is not in %s (%v)", name, dir, err)
		}
	}
}

// TestStaleStaging removes what a killed process left behind, but not what another one uses.
func TestStaleStaging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stale, used := filepath.Join(dir, stagingPrefix+"123"), filepath.Join(dir, stagingPrefix+"456")
	for _, dir := range []string{stale, used} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(stale, time.Time{}, time.Now().Add(-2*staleAfter)); err != nil {
		t.Fatal(err)
	}
	removeStaging(dir)
	if exists(stale) || !exists(used) {
		t.Errorf("the stale directory exists: %t, the other one: %t", exists(stale), exists(used))
	}
}
