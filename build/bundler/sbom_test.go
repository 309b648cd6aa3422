package bundler

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/build/frontend"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestPackagesInSourceMap bundles one repository with a package that npm installed and with one
// that we download: the files are the same, and the source map names the package.
func TestPackagesInSourceMap(t *testing.T) {
	t.Parallel()
	dep := map[string]string{
		"package.json": `{"name": "@acme/dep", "version": "1.0.0", "license": "MIT", "sideEffects": false}`,
		"index.js":     "export const answer = 'from the package'; export const unused = 1",
		"other.js":     "export const other = 2",
	}
	text := packed(t, dep)
	sum := sha512.Sum512(text)
	integrity := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) }))
	t.Cleanup(registry.Close)
	bundle := func(isInstalled bool) map[string][]byte {
		root := t.TempDir()
		files := map[string]string{
			"src/module.ts":     "import type { T } from 'typed'; export { answer } from '@acme/dep';",
			"package.json":      `{"dependencies": {"@acme/dep": "1"}}`,
			".npmrc":            "registry=" + registry.URL,
			".git/HEAD":         "",
			"package-lock.json": fmt.Sprintf(`{"packages": {"node_modules/@acme/dep": {"version": "1.0.0", "integrity": %q}}}`, integrity),
		}
		for name, text := range dep {
			if isInstalled {
				files["node_modules/@acme/dep/"+name] = text
			}
		}
		testkit.WriteFiles(t, root, files)
		bundler := Bundler{CacheDir: t.TempDir(), Environ: []string{}}
		f := build.Frontend{Root: root, Source: filepath.Join(root, "src"), PluginID: "acme-x-panel", Download: !isInstalled}
		testkit.Must(bundler.Bundle(t.Context(), f))(t)
		f.Download = false
		b := testkit.Must(bundler.Bundle(t.Context(), f))(t)
		return b.Files
	}
	installed, downloaded := bundle(true), bundle(false)
	if diff := cmp.Diff(installed, downloaded); diff != "" {
		t.Errorf("the files differ (-npm +ours):\n%s", diff)
	}
	var m struct {
		Packages []frontend.Package `json:"x_packages"`
	}
	testkit.OK(t, json.Unmarshal(installed["module.js.map"], &m))
	want := []frontend.Package{{Name: "@acme/dep", Version: "1.0.0", License: "MIT", Integrity: integrity}}
	if diff := cmp.Diff(want, m.Packages); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

// packed returns the tarball of an npm package.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		err := w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		if _, writeErr := w.Write([]byte(text)); errors.Join(err, writeErr) != nil {
			t.Fatal(err, writeErr)
		}
	}
	testkit.OK(t, w.Close(), z.Close())
	return b.Bytes()
}
