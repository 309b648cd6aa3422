package templates

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// registry is where the packages of a lockfile come from. npm replaces it by the registry that it is
// configured with.
const registry = "https://registry.npmjs.org/"

// TestLockfile checks that package-lock.json is that of package.json.
func TestLockfile(t *testing.T) {
	t.Parallel()
	dir := scaffold(t, options(t, "panel")).Dir
	if *update {
		syncLockfile(t, dir)
		t.Skip("package-lock.json is rewritten; the next run embeds and checks it")
	}
	var manifest struct {
		Name, Version   string
		Engines         map[string]string
		DevDependencies map[string]string
	}
	var lock struct {
		Name, Version   string
		LockfileVersion int
		Packages        map[string]struct {
			Version, Resolved, Integrity string
			Engines                      map[string]string
			DevDependencies              map[string]string
		}
	}
	decode(t, filepath.Join(dir, "package.json"), &manifest)
	decode(t, filepath.Join(dir, "package-lock.json"), &lock)
	if lock.Name != manifest.Name || lock.Version != manifest.Version || lock.LockfileVersion != 3 ||
		!maps.Equal(lock.Packages[""].DevDependencies, manifest.DevDependencies) || !maps.Equal(lock.Packages[""].Engines, manifest.Engines) {
		t.Errorf("the lockfile is not that of package.json: %+v, %+v; run go tool mage templates", lock.Packages[""], manifest)
	}
	for name, required := range manifest.DevDependencies {
		r, err := ranges.Parse(required)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		v, err := semver.StrictNewVersion(lock.Packages["node_modules/"+name].Version)
		if err != nil || !r.Admits(v) {
			t.Errorf("%s %s is locked at %q", name, required, lock.Packages["node_modules/"+name].Version)
		}
	}
	delete(lock.Packages, "")
	for name, p := range lock.Packages {
		if !strings.HasPrefix(p.Resolved, registry) || !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s comes from %q with the integrity %q", name, p.Resolved, p.Integrity)
		}
	}
}

// TestGrafanaPackages checks that the packages of Grafana have one version, since each requires that of
// the others.
func TestGrafanaPackages(t *testing.T) {
	t.Parallel()
	var manifest struct{ DevDependencies map[string]string }
	decode(t, filepath.Join(scaffold(t, options(t, "app")).Dir, "package.json"), &manifest)
	var versions []string
	for _, name := range []string{"data", "runtime", "schema", "ui"} {
		versions = append(versions, manifest.DevDependencies["@grafana/"+name])
	}
	if slices.Sort(versions); versions[0] != versions[3] || strings.Trim(versions[0], "0123456789.") != "" {
		t.Errorf("versions %q", versions)
	}
}

func decode(t *testing.T, file string, to any) {
	t.Helper()
	data, err := os.ReadFile(file)
	testkit.OK(t, err, json.Unmarshal(data, to))
}

// syncLockfile rewrites the template with the newest versions that package.json admits.
func syncLockfile(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "package-lock.json")
	testkit.OK(t, os.Remove(file))
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved=false", "--registry="+registry)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := testkit.Must(os.ReadFile(file))(t)
	id := []byte(options(t, "panel").ID)
	if n := bytes.Count(text, id); n != 2 {
		t.Fatalf("the lockfile names the plugin %d times, want 2", n)
	}
	text = bytes.ReplaceAll(text, id, []byte("[[.ID]]"))
	testkit.OK(t, os.WriteFile(filepath.Join("files", "frontend", "package-lock.json"+suffix), text, 0o644))
}
