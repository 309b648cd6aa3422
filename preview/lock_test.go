package preview

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestLocks checks the locks of this program: they name versions and integrities, no addresses, and
// have the packages that the page imports.
func TestLocks(t *testing.T) {
	t.Parallel()
	var optional = []string{"@grafana/i18n"} // which 11.6 does not have
	imports := importsOf(t)
	for _, minor := range minorVersions() {
		l := testkit.Must(readLock(minor))(t)
		if l.Bytes < 1e6 || len(l.Packages) < 100 || bytes.Contains(l.text, []byte("://")) {
			t.Errorf("%s: %d bytes, %d packages, or it has addresses", minor, l.Bytes, len(l.Packages))
		}
		if n := bytes.Count(l.text, []byte(`"integrity": "sha512-`)); n != len(l.Packages) {
			t.Errorf("%s: %d of %d packages have an integrity", minor, n, len(l.Packages))
		}
		for _, name := range imports {
			if l.Version(name) == "" && !slices.Contains(optional, name) {
				t.Errorf("%s lacks %s, which the page imports: run go tool mage previewLocks", minor, name)
			}
		}
		for _, name := range []string{"data", "runtime", "schema"} {
			if l.Version("@grafana/"+name) != l.Version("@grafana/ui") || !strings.HasPrefix(l.Version("@grafana/ui"), minor+".") {
				t.Errorf("%s: version %q of %s", minor, l.Version("@grafana/"+name), name)
			}
		}
	}
}

func TestRefreshLock(t *testing.T) {
	t.Parallel()
	l, err := RefreshLock()
	if err != nil || len(l.Packages) != 1 || l.Version("react-refresh") == "" {
		t.Errorf("%+v, %v", l, err)
	}
}

// importsOf returns the packages that the page imports.
func importsOf(t *testing.T) (names []string) {
	t.Helper()
	r := &resolver{source: pageSource()}
	built := api.Build(api.BuildOptions{EntryPoints: []string{pageEntry}, Bundle: true, Write: false, Outdir: t.TempDir(), TsconfigRaw: "{}", Format: api.FormatESModule, Plugins: []api.Plugin{{Name: "imports", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^[^.]`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
			if in.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			name := strings.TrimPrefix(in.Path, insidePrefix)
			r.mu.Lock()
			defer r.mu.Unlock()
			names = append(names, frontend.PackageName(name))
			return api.OnResolveResult{Path: in.Path, External: true}, nil
		})
		r.setup(build)
	}}}})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestInstall(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": `{"version": "1.0.0"}`, "index.js": "export const a = 1", "index.d.ts": "declare const a: 1", "README.md": "x"}
	text := packed(t, files)
	sum := sha512.Sum512(text)
	var asked atomic.Int64 // several at a time
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write(text)
	}))
	t.Cleanup(registry.Close)
	integrity := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	lock := func(integrity string) *Lock {
		return testkit.Must(parseLock("0.1", fmt.Appendf(nil, `{"lockfileVersion": 3, "bytes": 1, "packages": {
			"node_modules/a": {"version": "1.0.0", "integrity": %[1]q},
			"node_modules/a/node_modules/@x/b": {"version": "1.0.0", "integrity": %[1]q},
			"node_modules/c": {"name": "a", "version": "1.0.0", "integrity": %[1]q}}}`, integrity)))(t)
	}
	root := t.TempDir()
	testkit.WriteFiles(t, root, map[string]string{
		".yarnrc.yml": "npmRegistryServer: " + registry.URL, "yarn.lock": "\n__metadata:\n  version: 8\n", "package.json": "{}",
	})
	o := InstallOptions{CacheDir: t.TempDir(), Root: root, Environ: []string{}, Out: &bytes.Buffer{}}
	l := lock(integrity)
	if l.Installed(o.CacheDir) != "" {
		t.Error("installed before")
	}
	for range 2 {
		dir, err := l.Install(t.Context(), o)
		if err != nil || dir == "" || dir != l.Installed(o.CacheDir) {
			t.Fatalf("%s, %v", dir, err)
		}
		for _, at := range []string{"a", "a/node_modules/@x/b", "c"} {
			got, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(at), "index.js"))
			if err != nil || string(got) != files["index.js"] {
				t.Errorf("%s: %s, %v", at, got, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(at), "index.d.ts")); err == nil {
				t.Errorf("%s has files that no bundle reads", at)
			}
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("%d downloads; want 3", n)
	}
	wrong := lock("sha512-" + base64.StdEncoding.EncodeToString(make([]byte, 64)))
	if _, err := wrong.Install(t.Context(), o); err == nil || wrong.Installed(o.CacheDir) != "" {
		t.Errorf("a package with another integrity: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.CacheDir, "preview", ".staging-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// packed returns the tarball of an npm package.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		testkit.OK(t, w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}))
		testkit.Must(w.Write([]byte(text)))(t)
	}
	testkit.OK(t, w.Close())
	testkit.OK(t, z.Close())
	return b.Bytes()
}
